import { spawn } from "node:child_process";
import { EdgewiseError } from "../../errors.js";
import { findGit } from "../../git/git-program.js";
import { visibleLine } from "../../text/visible.js";
import type { GuardedIo } from "./io.js";
import { gitHost } from "./provenance.js";

/**
 * Runs git as its user does: with their configuration, keys and terminal, in the working directory. Only for what a person
 * asked for: everything else reads repositories with nobody's configuration.
 * @returns what it printed, when it is asked for
 * @throws EdgewiseError `git` when it fails
 */
export async function runOwnGit(args: readonly string[], io: GuardedIo, output: "kept" | "shown"): Promise<string> {
  const { program } = await findGit(gitHost(io), io.cwd);
  const stdout = output === "kept" ? "pipe" : "ignore";
  const child = spawn(program, args, { cwd: io.cwd, env: io.env, stdio: ["inherit", stdout, "pipe"] });
  let [printed, said] = ["", ""];
  child.stdout?.on("data", (chunk: Buffer) => (printed += chunk.toString("utf8")));
  child.stderr?.on("data", (chunk: Buffer) => {
    said += chunk.toString("utf8");
    if (output === "shown") io.stderr(chunk.toString("utf8"));
  });
  const code = await new Promise<number>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (exit) => resolve(exit ?? 128));
  });
  if (code === 0) return printed.trim();
  const lines = said.trim().split("\n");
  const why = lines.find((line) => /^(?:fatal|error): /u.test(line)) ?? lines.at(-1) ?? "";
  throw new EdgewiseError("git", `git ${subcommandOf(args)} failed: ${visibleLine(why)}`);
}

/** The subcommand, which settings stand before. */
function subcommandOf(args: readonly string[]): string {
  return args.find((arg, index) => !arg.startsWith("-") && args[index - 1] !== "-c") ?? "";
}
