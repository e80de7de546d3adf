import { execFile, type ExecFileException } from "node:child_process";
import { EdgewiseError } from "../errors.js";
import { gitSettings, type Git } from "./git-program.js";

/** A repository that was found once and is passed on, so that nothing looks for one again. All paths are real paths. */
export interface Repository {
  readonly git: Git;
  readonly gitDir: string;
  /** Null for a bare clone. */
  readonly workTree: string | null;
}

/** What git answered. A failure of git itself is data: what it means depends on what was asked. */
export interface GitAnswer {
  readonly ok: boolean;
  /** Git's exit code; 128, its code for fatal errors, when a signal ended it. */
  readonly exit: number;
  readonly stdout: Buffer;
  readonly stderr: string;
}

/** The most that one call may answer, in bytes. */
const maxAnswer = 64 * 1024 * 1024;

/**
 * Reads something from a repository. The repository is named explicitly, so git does not look for one in the work tree.
 * @param input written to its standard input
 * @throws EdgewiseError `git` when git can't be started, runs past its deadline, or answers more than 64 MiB
 */
export function runGit(repository: Repository, args: readonly string[], input = ""): Promise<GitAnswer> {
  const { git, gitDir, workTree } = repository;
  const names = { GIT_DIR: gitDir, ...(workTree === null ? {} : { GIT_WORK_TREE: workTree }) };
  return startGit({ git, cwd: workTree ?? gitDir, environment: { ...git.environment, ...names }, args, input });
}

/** One run of git. */
export interface GitRun {
  readonly git: Git;
  readonly cwd: string;
  /** The whole environment: nothing of this process's own is added. */
  readonly environment: { readonly [name: string]: string };
  readonly args: readonly string[];
  readonly input?: string;
}

/** The one place where git is started: without a shell, a prompt or a terminal, by its absolute path. */
export function startGit({ git, cwd, environment, args, input = "" }: GitRun): Promise<GitAnswer> {
  return new Promise((resolve, reject) => {
    const child = execFile(
      git.program,
      ["--no-pager", ...gitSettings.flatMap((setting) => ["-c", setting]), ...args],
      {
        cwd,
        env: environment,
        encoding: "buffer",
        maxBuffer: maxAnswer,
        timeout: git.deadline,
        killSignal: "SIGKILL",
        windowsHide: true,
      },
      (error, stdout, stderr) => {
        const exit = exitOf(error);
        if (error !== null && exit === null) reject(notRun(error, git));
        else resolve({ ok: exit === 0, exit: exit ?? 0, stdout, stderr: stderr.toString("utf8").trim() });
      },
    );
    // git may end before it has read everything
    child.stdin?.on("error", () => undefined);
    child.stdin?.end(input);
  });
}

/** Null when git was not started or not let finish. A signal of others is a failure of git: SIGPIPE, from a git that it started. */
function exitOf(error: ExecFileException | null): number | null {
  if (error === null) return 0;
  if (typeof error.code === "number") return error.code;
  return error.killed !== true && typeof error.signal === "string" ? 128 : null;
}

function notRun(cause: ExecFileException, git: Git): EdgewiseError {
  if (cause.code === "ERR_CHILD_PROCESS_STDIO_MAXBUFFER") {
    return new EdgewiseError("git", "git answered more than 64 MiB", {
      remedy: "Point the configuration at fewer files.",
      cause,
    });
  }
  if (cause.killed === true) {
    return new EdgewiseError("git", `git did not answer within ${git.deadline / 1000} s and was stopped`, {
      remedy: "Check that the disk of the repository answers, or leave --base out.",
      cause,
    });
  }
  return new EdgewiseError("git", `git (${git.program}) can't be run: ${String(cause.code ?? cause.message)}`, {
    cause,
  });
}
