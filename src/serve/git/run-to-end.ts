import { type GitAnswer, type GitRun, spawnGit } from "../../git/run-git.js";

export interface Ends {
  readonly signal: AbortSignal;
  readonly deadline: number;
  readonly killGroup: (leader: number) => void;
  readonly isTooLarge?: () => Promise<boolean>;
}

export interface EndedRun extends GitAnswer {
  readonly stopped: "deadline" | "aborted" | "too-large" | null;
}

const keptBytes = 64 * 1024;

const lookMs = 200;

/** Runs a git that starts other programs (ssh, index-pack) to its end. Nothing of it outlives this call. */
export function runToEnd(run: GitRun, ends: Ends): Promise<EndedRun> {
  return new Promise((resolve) => {
    const child = spawnGit(run);
    let [out, err] = [Buffer.alloc(0), Buffer.alloc(0)];
    let stopped: EndedRun["stopped"] = null;
    const kept = (before: Buffer, chunk: Buffer): Buffer<ArrayBuffer> =>
      Buffer.concat([before, chunk.subarray(0, keptBytes - before.length)]);

    const stop = (why: Exclude<EndedRun["stopped"], null>): void => {
      if (stopped !== null) return;
      stopped = why;
      if (child.pid !== undefined) ends.killGroup(child.pid);
      child.kill("SIGKILL");
    };
    const onAbort = (): void => stop("aborted");
    const deadline = setTimeout(() => stop("deadline"), ends.deadline);
    const look = setInterval(() => {
      void ends.isTooLarge?.().then((tooLarge) => {
        if (tooLarge) stop("too-large");
      });
    }, lookMs);

    const finish = (exit: number): void => {
      clearTimeout(deadline);
      clearInterval(look);
      ends.signal.removeEventListener("abort", onAbort);
      child.stdout.destroy();
      child.stderr.destroy();
      resolve({ ok: exit === 0 && stopped === null, exit, stdout: out, stderr: err.toString("utf8").trim(), stopped });
    };
    child.stdout.on("data", (chunk: Buffer) => (out = kept(out, chunk)));
    child.stderr.on("data", (chunk: Buffer) => (err = kept(err, chunk)));
    child.stdin.on("error", () => undefined);
    child.stdin.end();
    child.on("error", (error) => {
      err = Buffer.from(error.message);
      finish(128);
    });
    child.on("close", (code) => finish(code ?? 128));
    // ssh may leave a process behind that shares its connection, and holds the outputs open.
    child.on("exit", (code) => setTimeout(() => finish(code ?? 128), lookMs * 5).unref());
    if (ends.signal.aborted) onAbort();
    else ends.signal.addEventListener("abort", onAbort, { once: true });
  });
}
