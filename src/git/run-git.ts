import { execFile } from "node:child_process";
import { EdgewiseError } from "../errors.js";

/** What git said. A failure of git itself is data: what it means depends on what was asked. */
export interface GitAnswer {
  readonly ok: boolean;
  readonly stdout: Buffer;
  readonly stderr: string;
}

/** The most that one call may answer, in bytes. */
const maxAnswer = 64 * 1024 * 1024;

/**
 * Runs git without a shell, a prompt or a terminal. Optional locks are off: this only reads.
 * @param input written to its standard input
 * @throws EdgewiseError `git` when git is not installed, or answers more than 64 MiB
 */
export function runGit(cwd: string, args: readonly string[], input?: string): Promise<GitAnswer> {
  return new Promise((resolve, reject) => {
    const child = execFile(
      "git",
      ["--no-optional-locks", "--no-pager", "--literal-pathspecs", ...args],
      { cwd, encoding: "buffer", maxBuffer: maxAnswer, windowsHide: true },
      (error, stdout, stderr) => {
        if (error !== null && typeof error.code !== "number") reject(notRun(error));
        else resolve({ ok: error === null, stdout, stderr: stderr.toString("utf8").trim() });
      },
    );
    // git may end before it has read everything
    child.stdin?.on("error", () => undefined);
    child.stdin?.end(input ?? "");
  });
}

function notRun(cause: Error & { readonly code?: unknown }): EdgewiseError {
  if (cause.code === "ENOENT") {
    return new EdgewiseError("git", "git can't be run: it is not installed, or not on the PATH", {
      remedy: "Install git, or leave --base out.",
      cause,
    });
  }
  if (cause.code === "ERR_CHILD_PROCESS_STDIO_MAXBUFFER") {
    return new EdgewiseError("git", "git answered more than 64 MiB", {
      remedy: "Point the configuration at fewer files.",
      cause,
    });
  }
  return new EdgewiseError("git", `git can't be run: ${cause.message}`, { cause });
}
