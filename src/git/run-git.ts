import { type ChildProcessWithoutNullStreams, execFile, type ExecFileException, spawn } from "node:child_process";
import { EdgewiseError } from "../core/errors.js";
import { gitSettings, type Git } from "./git-program.js";

/** All paths are real. A bare one's work tree is an empty directory. */
export type Repository = Readonly<{
  git: Git;
  gitDir: string;
  workTree: string;
}>;

export type GitAnswer = Readonly<{
  ok: boolean;
  /** 128 also when a signal ended it. */
  exit: number;
  stdout: Buffer;
  stderr: string;
}>;

const maxOutput = 64 * 1024 * 1024;

export function runGit(repository: Repository, args: readonly string[], input = ""): Promise<GitAnswer> {
  return startGit(repositoryRun(repository, args), input);
}

export function linesOf({ stdout }: GitAnswer): readonly string[] {
  const lines = stdout.toString("utf8").split("\n");
  return lines.at(-1) === "" ? lines.slice(0, -1) : lines;
}

export const fetchHistory = "Fetch the whole history (fetch-depth: 0, and no filter, in the checkout step).";

export function gitFailure(what: string, { stderr }: GitAnswer, remedy?: string): EdgewiseError {
  return new EdgewiseError("git", `git can't ${what}: ${stderr}`, remedy === undefined ? {} : { remedy });
}

export type GitRun = Readonly<{
  git: Git;
  cwd: string;
  /** The whole: nothing is inherited. */
  environment: { readonly [name: string]: string };
  args: readonly string[];
}>;

export function startGit({ git, cwd, environment, args }: GitRun, input = ""): Promise<GitAnswer> {
  const limits = { maxBuffer: maxOutput, timeout: git.deadline, killSignal: "SIGKILL" } as const;
  const options = { cwd, env: environment, encoding: "buffer", windowsHide: true, ...limits } as const;
  return new Promise((resolve, reject) => {
    const child = execFile(git.program, withSettings(args), options, (error, stdout, stderr) => {
      // As SIGPIPE.
      const isSignal = error !== null && !error.killed && typeof error.signal === "string";
      const exit = error === null ? 0 : isSignal ? 128 : error.code;
      if (typeof exit === "number") resolve({ ok: exit === 0, exit, stdout, stderr: stderr.toString("utf8").trim() });
      else if (error !== null) reject(notRun(error, git));
    });
    child.stdin?.on("error", () => undefined);
    child.stdin?.end(input);
  });
}

/** The deadline is the caller's. */
export function spawnGit({ git, cwd, environment, args }: GitRun): ChildProcessWithoutNullStreams {
  return spawn(git.program, withSettings(args), { cwd, env: environment, detached: true, windowsHide: true });
}

export function repositoryRun({ git, gitDir, workTree }: Repository, args: readonly string[]): GitRun {
  return { git, cwd: workTree, environment: { ...git.environment, GIT_DIR: gitDir, GIT_WORK_TREE: workTree }, args };
}

function withSettings(args: readonly string[]): string[] {
  return ["--no-pager", ...gitSettings.flatMap((setting) => ["-c", setting]), ...args];
}

function notRun(cause: ExecFileException, git: Git): EdgewiseError {
  if (cause.code === "ERR_CHILD_PROCESS_STDIO_MAXBUFFER")
    return new EdgewiseError("refused", "git returned more than 64 MiB", {
      remedy: "Move the configuration into a directory with fewer files.",
      cause,
    });
  if (cause.killed === true)
    return new EdgewiseError("git", `git did not finish within ${git.deadline / 1000} s and was stopped`, {
      remedy: "Check that the repository's disk responds, or leave out --base, --ref and --changed-since.",
      cause,
    });
  const why = String(cause.code ?? cause.message);
  return new EdgewiseError("git", `git (${git.program}) can't be run: ${why}`, { cause });
}
