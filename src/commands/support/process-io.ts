import { createInterface } from "node:readline";
import { isatty } from "node:tty";
import { type GuardedIo, type Io, commandIo } from "./command-io.js";
import { interrupted } from "./confirm.js";
import { showError } from "./show-error.js";

/** The Io of the running process. Only this file and the program's entry use `process`. */
export function processIo(): Io {
  const { env, stdout, stderr } = process;
  return {
    stdout: (text) => void stdout.write(text),
    stderr: (text) => void stderr.write(text),
    env,
    cwd: process.cwd(),
    stdinIsTerminal: isatty(0),
    stderrIsTerminal: stderr.isTTY === true,
    color: mayColor(env, stdout.isTTY === true),
    stderrColor: mayColor(env, stderr.isTTY === true),
    // Some terminals report 0 columns.
    ...(stdout.isTTY && stdout.columns > 0 ? { columns: stdout.columns } : {}),
    stderrColumns: () => (stderr.columns > 0 ? stderr.columns : undefined),
    ask,
    onSignal,
    onHangup: (handler) => {
      process.on("SIGHUP", handler);
      return () => void process.off("SIGHUP", handler);
    },
    now: () => Date.now(),
  };
}

function onSignal(handler: (signal: "SIGINT" | "SIGTERM") => void): () => void {
  process.on("SIGINT", handler);
  process.on("SIGTERM", handler);
  return () => {
    process.off("SIGINT", handler);
    process.off("SIGTERM", handler);
  };
}

/**
 * Ends the program at a SIGINT or SIGTERM that no command handles, with the exit code for interruptions, because nothing
 * was changed then. A run that has finished keeps its exit code, and the first signal does not cut off what is still being
 * written of its result.
 */
export function endOnSignals(isFinished: () => boolean): void {
  let isAsked = false;
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.on(signal, () => {
      if (process.listenerCount(signal) > 1) return;
      if (isFinished() && !isAsked) isAsked = true;
      else process.exit(process.exitCode ?? 130);
    });
  }
}

/**
 * Ends the program as soon as nothing is left to do or to write. Node by itself takes some milliseconds more, in which a
 * signal kills it: a run that has changed something would end with the wrong exit code.
 */
export function endWhenDone(): void {
  process.once("beforeExit", () => process.exit());
}

/**
 * Keeps the program running when the reader of its output is gone (`edgewise plan | head`), because an apply must go on.
 * Every other failure to write (a full disk) is shown and fails the program.
 */
export function surviveClosedPipes(): void {
  for (const [name, stream] of [["stdout", process.stdout] as const, ["stderr", process.stderr] as const]) {
    // Every write to a full disk fails again: reports of many stacks are many writes.
    let shown = false;
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "EPIPE" || error.code === "ERR_STREAM_DESTROYED") return;
      if (name === "stdout" && !shown) process.stderr.write(`error: stdout can't be written: ${error.message}\n`);
      shown = true;
      process.exitCode ||= 1;
    });
  }
}

/** Colour only on a terminal; `NO_COLOR` and `FORCE_COLOR` override that when they are not empty. */
function mayColor(env: { readonly [name: string]: string | undefined }, terminal: boolean): boolean {
  if (env["NO_COLOR"]) return false;
  if (env["FORCE_COLOR"]) return env["FORCE_COLOR"] !== "0" && env["FORCE_COLOR"] !== "false";
  return terminal && env["TERM"] !== "dumb";
}

/** Asks on stderr, because stdout is only for the result. */
async function ask(question: string): Promise<string> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  return new Promise((resolve, reject) => {
    const end = onSignal(() => {
      reject(interrupted());
      lines.close();
    });
    // Without an answer at the end of input.
    lines.once("close", () => {
      end();
      resolve("");
    });
    // readline takes Ctrl-C for itself.
    lines.once("SIGINT", () => {
      process.stderr.write("\n");
      process.emit("SIGINT", "SIGINT");
    });
    lines.question(question, (answer) => {
      resolve(answer);
      lines.close();
    });
  });
}

/**
 * Shows uncaught exceptions like every other bug: short, without a stack. Warnings of Node and of packages may quote
 * anything: they are masked, and shown only where Node would show them.
 */
export function showUncaughtErrors(io: GuardedIo): void {
  const show = async (thrown: unknown): Promise<never> => {
    try {
      return process.exit(await showError(thrown, commandIo(io, {})));
    } catch {
      return process.exit(1);
    }
  };
  process.on("uncaughtException", (error) => void show(error));
  // Node's own listener writes to stderr without masking; it is missing when Node runs with --no-warnings.
  if (process.listenerCount("warning") === 0) return;
  process.removeAllListeners("warning");
  process.on("warning", ({ name, message }) => io.stderr(io.redactor.redact(`(node) ${name}: ${message}\n`)));
}
