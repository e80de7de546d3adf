import { type ChildProcessWithoutNullStreams, type ExecFileException, execFile, spawn } from "node:child_process";
import { EdgewiseError } from "../core/errors.js";
import { constants } from "node:fs";
import { access, realpath, stat } from "node:fs/promises";
import { delimiter, isAbsolute, join, sep } from "node:path";
import { isInside } from "../files/real-path.js";
import { limits } from "../core/limits.js";

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

export interface GitHost {
  readonly env: { readonly [name: string]: string | undefined };
}

export type Git = Readonly<{
  program: string;
  environment: { readonly [name: string]: string };
  deadline: number;
}>;

const isWindows = sep === "\\";

const nullDevice = "/dev/null";

/** A repository's configuration may name programs, or show another history. */
export const gitSettings: readonly string[] = [
  "safe.bareRepository=explicit protocol.allow=never core.fsmonitor=false core.hooksPath=/dev/null",
  "core.attributesFile=/dev/null core.warnAmbiguousRefs=true core.alternateRefsCommand=false core.askPass=",
  "core.editor=false core.gitProxy= core.pager=cat core.sshCommand=false core.commitGraph=false",
  "credential.helper= diff.external= gpg.program=false uploadpack.packObjectsHook= gc.auto=0",
  "maintenance.auto=false submodule.recurse=false fetch.recurseSubmodules=false",
  "advice.graftFileDeprecated=false",
].flatMap((line) => line.split(" "));

const switches = {
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_SYSTEM: nullDevice,
  GIT_CONFIG_GLOBAL: nullDevice,
  GIT_ATTR_NOSYSTEM: "1",
  // No transport at all: works in every version, and no configuration overrides it. Git 2.39.4 and 2.45.1 or later don't
  // even try to fetch a missing object.
  GIT_ALLOW_PROTOCOL: "",
  GIT_PROTOCOL_FROM_USER: "0",
  GIT_NO_LAZY_FETCH: "1",
  GIT_NO_REPLACE_OBJECTS: "1",
  GIT_GRAFT_FILE: nullDevice,
  GIT_TERMINAL_PROMPT: "0",
  GIT_ASKPASS: "",
  GIT_SSH_COMMAND: "false",
  GIT_PROXY_COMMAND: "",
  GIT_EDITOR: "false",
  GIT_PAGER: "cat",
  GIT_OPTIONAL_LOCKS: "0",
  GIT_LITERAL_PATHSPECS: "1",
  GIT_ADVICE: "0",
  // Two megabytes of a push can inflate to hundreds.
  GIT_ALLOC_LIMIT: String(limits.gitAllocationBytes),
  LC_ALL: "C",
} as const;

/**
 * Only absolute directories outside of the work tree count: a pull request may add a `git`, and npm puts the work tree's
 * `node_modules/.bin` on the PATH.
 */
export async function findGit(host: GitHost, workTree: string): Promise<Git> {
  const { PATH = "", SYSTEMROOT = "" } = host.env;
  const directories: string[] = [];
  for (const directory of PATH.split(delimiter)) if (await isOutside(directory, workTree)) directories.push(directory);
  const environment = {
    PATH: directories.join(delimiter),
    ...(await outsidePaths(host, ["HOME"], workTree)),
    // The second keeps programs of the current directory from running.
    ...(isWindows ? { SYSTEMROOT, NoDefaultCurrentDirectoryInExePath: "1" } : {}),
    ...switches,
  };
  const program = await trustedProgram({ environment }, "git", workTree);
  if (program !== null) return { program, environment, deadline: 120_000 };
  throw new EdgewiseError(
    "git",
    "git can't be run: it is not installed, or not on the PATH",
    "Install git, or leave out --base, --ref and --changed-since. Of the PATH only absolute directories outside of the work tree count.",
  );
}

/** From the directories that {@link findGit} trusts. */
export async function trustedProgram(
  { environment }: Pick<Git, "environment">,
  name: string,
  workTree: string,
): Promise<string | null> {
  for (const directory of (environment["PATH"] ?? "").split(delimiter)) {
    const candidate = join(directory, isWindows ? `${name}.exe` : name);
    const found = await access(candidate, constants.X_OK).then(
      () => stat(candidate),
      () => null,
    );
    if (found?.isFile() === true && (await isOutside(candidate, workTree))) return candidate;
  }
  return null;
}

/** Only paths outside of the work tree. */
export async function outsidePaths(
  { env }: GitHost,
  names: readonly string[],
  workTree: string,
): Promise<{ readonly [name: string]: string }> {
  const kept: { [name: string]: string } = {};
  for (const name of names) {
    const path = env[name];
    if (path !== undefined && (await isOutside(path, workTree))) kept[name] = path;
  }
  return kept;
}

async function isOutside(path: string, workTree: string): Promise<boolean> {
  // On Windows `\bin` counts as absolute, but depends on the current drive.
  if (!isAbsolute(path) || (isWindows && /^[\\/](?![\\/])/u.test(path))) return false;
  const real = await realpath(path).catch(() => path);
  return !isInside(workTree, real) && !isInside(workTree, path);
}
