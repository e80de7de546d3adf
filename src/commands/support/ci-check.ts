import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { changedPaths } from "../../git/list-commit.js";
import { findRepository } from "../../git/find-repository.js";
import { resolveBase } from "../../git/resolve-commit.js";
import { renderErrorGithub } from "../../report/github-annotations.js";
import { guardRunner, visible } from "../../text/visible.js";
import { validateCommand } from "../validate.js";
import { type CiContext, type CiReport, runStacks, writeFile } from "./ci-context.js";
import { freshDirectory } from "./ci-plan.js";
import { selectStacks } from "./ci-stacks.js";
import type { Stack } from "../../stacks/list-stacks.js";
import type { Io } from "./io.js";
import { gitHost } from "./config-source.js";

/** Validates the stacks of a run; needs no key. */
export async function ciCheck(context: CiContext): Promise<readonly CiReport[]> {
  const { flags, io, run } = context;
  const { all, broken, stacks } = await selectStacks(context);
  const quality: unknown[] = [];
  const reports = await runStacks([...broken, ...stacks], context, async (own, stackIo) => {
    if (run.system === "gitlab") {
      const collected = { ...stackIo, stdout: (text: string) => void quality.push(...JSON.parse(text)) };
      await validateCommand({ ...own, output: "gitlab" }, collected);
    }
    return validateCommand({ ...own, output: run.system === "github" ? "github" : "text" }, stackIo);
  });
  if (run.system === "gitlab") {
    await freshDirectory(context);
    await writeFile("code-quality.json", `${JSON.stringify(quality)}\n`, io);
  }
  const problem = flags.dryRun === true ? null : await problemOfOwnProgram(all, context);
  if (problem === null) return reports;
  const message = `the change's own .edgewise/edgewise.mjs ${problem}`;
  const report = run.system === "github" ? renderErrorGithub("edgewise check", message) : `${guardRunner(message)}\n`;
  const about = { config: program, environment: null, directory: null, stack: null, baseUrl: null, slug: null };
  return [...reports, { ...about, exit: 1, report, error: null }];
}

const program = ".edgewise/edgewise.mjs";

/**
 * What is wrong with the program that a change brings: it is run by the pipelines after the merge, and here for the first
 * time. Null when nothing is, or when there is no such program. Not where a key could be stolen.
 */
async function problemOfOwnProgram(stacks: readonly Stack[], { io, run }: CiContext): Promise<string | null> {
  if (run.base === null || run.isFork || io.env["EDGEWISE_API_KEY"]) return null;
  const repository = await findRepository(io.cwd, gitHost(io));
  const { mergeBase } = await resolveBase(repository, run.base);
  const changed = [...(await changedPaths(repository, mergeBase))].some((path) => path.startsWith(".edgewise/"));
  if (!changed) return null;
  const file = join(repository.workTree, program);
  const [bytes, sum] = await Promise.all([read(file), read(`${file}.sha256`)]);
  if (bytes === null) return sum === null ? null : "is missing";
  const checksum = createHash("sha256").update(bytes).digest("hex");
  if (sum?.toString("utf8").trim().split(/\s+/u)[0] !== checksum) return "is not the one of its checksum";
  for (const { config, environment } of stacks) {
    const args = ["validate", "-c", config, ...(environment === null ? [] : ["-e", environment])];
    const failure = await runProgram(file, args, io);
    if (failure !== null) return `fails: edgewise ${args.join(" ")}\n${failure}`;
  }
  return null;
}

async function read(file: string): Promise<Buffer | null> {
  return readFile(file).catch(() => null);
}

/** What a program says when it fails; null when it succeeds. Of the environment it gets nothing that may be secret. */
function runProgram(file: string, args: readonly string[], { cwd, env }: Io): Promise<string | null> {
  const given = Object.entries(env).filter(([name]) => name === "PATH" || name.startsWith("EDGEWISE_VAR_"));
  const options = { cwd, env: Object.fromEntries(given), timeout: 120_000, maxBuffer: 16 * 1024 * 1024 };
  return new Promise((resolve) => {
    execFile(process.execPath, [file, ...args], options, (error, stdout, stderr) =>
      resolve(error === null ? null : visible(`${stdout}${stderr}`).slice(0, 2000)),
    );
  });
}
