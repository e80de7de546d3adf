import { spawn } from "node:child_process";
import { EdgewiseError } from "../../core/errors.js";
import { findRepository } from "../../git/find-repository.js";
import { visibleLine } from "../../core/visible.js";
import type { CommandIo } from "./command-io.js";

/**
 * What must not come from what is checked out: the work tree may hold a pull request. Git would take files that look like a
 * bare repository for one, with the programs that their configuration names; and hooks may lie in the work tree.
 */
const ownSettings = ["safe.bareRepository=explicit", "core.hooksPath=/dev/null", "core.fsmonitor=false"];

/**
 * Runs git as its user does: with their configuration, keys and terminal, in the working directory and its repository. Only
 * for what a person asked for: everything else reads repositories with nobody's configuration. Programs in the work tree
 * are not run, and git gets no variable of edgewise.
 * @returns what it printed, when it is asked for
 */
export async function runOwnGit(args: readonly string[], io: CommandIo, output: "kept" | "shown"): Promise<string> {
  const { git, gitDir, workTree } = await findRepository(io.cwd, io);
  const own = Object.entries(io.env).filter(([name]) => !/^(?:EDGEWISE_|GIT_DIR$|GIT_WORK_TREE$|PATH$)/iu.test(name));
  const named = { PATH: git.environment["PATH"], GIT_DIR: gitDir, GIT_WORK_TREE: workTree };
  const env = { ...Object.fromEntries(own), ...named };
  const settled = [...ownSettings.flatMap((setting) => ["-c", setting]), ...args];
  const stdout = output === "kept" ? "pipe" : "ignore";
  const child = spawn(git.program, settled, { cwd: io.cwd, env, stdio: ["inherit", stdout, "pipe"] });
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
  // Settings stand before the subcommand.
  const subcommand = args.find((arg, index) => !arg.startsWith("-") && args[index - 1] !== "-c") ?? "";
  throw new EdgewiseError("git", `git ${subcommand} failed: ${visibleLine(why)}`);
}
