import { setFlagsFromString } from "node:v8";
import type { GuardedIo, Io } from "./io.js";
import { showError } from "./show-error.js";

/** The Io of the running process. The one place that reads `process`, beside the program's entry. */
export function processIo(): Io {
  const { env, stdin, stdout, stderr } = process;
  return {
    stdout: (text) => void stdout.write(text),
    stderr: (text) => void stderr.write(text),
    env,
    cwd: process.cwd(),
    stdinIsTerminal: stdin.isTTY === true,
    stdoutIsTerminal: stdout.isTTY === true,
    stderrIsTerminal: stderr.isTTY === true,
    color: mayColor(env, stdout.isTTY === true),
    stderrColor: mayColor(env, stderr.isTTY === true),
    // Some terminals say that they have none.
    ...(stdout.isTTY && stdout.columns > 0 ? { columns: stdout.columns } : {}),
    ask,
    onSignal: (handler) => {
      process.on("SIGINT", handler);
      process.on("SIGTERM", handler);
      return () => {
        process.off("SIGINT", handler);
        process.off("SIGTERM", handler);
      };
    },
    now: () => Date.now(),
  };
}

/**
 * Ends the program with the exit code of an interruption at a SIGINT or SIGTERM that no command takes for itself, as
 * then nothing was changed. A run that has ended keeps the exit code that it ended with.
 */
export function endOnSignals(): void {
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.on(signal, () => {
      if (process.listenerCount(signal) === 1) process.exit(process.exitCode ?? 130);
    });
  }
}

/**
 * Keeps a reader that went away (`edgewise plan | head`) from ending the program: a run that writes must go on.
 * Every other failure to write (a full disk) is told, and fails the program.
 */
export function surviveClosedPipes(): void {
  for (const [name, stream] of [["stdout", process.stdout] as const, ["stderr", process.stderr] as const]) {
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "EPIPE" || error.code === "ERR_STREAM_DESTROYED") return;
      if (name === "stdout") process.stderr.write(`error: stdout can't be written: ${error.message}\n`);
      process.exitCode ||= 1;
    });
  }
}

/** Colour only on a terminal; `NO_COLOR` and `FORCE_COLOR` overrule it when they are not empty. */
function mayColor(env: { readonly [name: string]: string | undefined }, terminal: boolean): boolean {
  if (env["NO_COLOR"]) return false;
  if (env["FORCE_COLOR"]) return env["FORCE_COLOR"] !== "0" && env["FORCE_COLOR"] !== "false";
  return terminal && env["TERM"] !== "dumb";
}

/** Asks through stderr, as stdout holds the result alone. */
async function ask(question: string): Promise<string> {
  const { createInterface } = await import("node:readline");
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  return new Promise((resolve) => {
    // Closed without an answer: end of input, or Ctrl-C, which the readline takes for itself.
    lines.once("close", () => resolve(""));
    lines.once("SIGINT", () => {
      process.stderr.write("\n");
      // At once, so that who asked knows of it before the answer comes.
      if (process.listenerCount("SIGINT") > 0) process.emit("SIGINT", "SIGINT");
      else process.kill(process.pid, "SIGINT");
      lines.close();
    });
    lines.question(question, (answer) => {
      resolve(answer);
      lines.close();
    });
  });
}

/**
 * Shows an exception that nothing caught like every other bug: in short, masked, without a stack. Warnings of Node and
 * of packages are masked, too, and shown only where Node would show them.
 */
export function showUncaughtErrors(io: GuardedIo): void {
  const tell = async (thrown: unknown): Promise<never> => {
    // What was held back would be lost.
    io.release();
    try {
      return process.exit(await showError(thrown, {}, io));
    } catch {
      return process.exit(1);
    }
  };
  process.on("uncaughtException", (error) => void tell(error));
  // Node has a listener of its own, unless it was told to be silent; it writes to stderr past everybody else.
  if (process.listenerCount("warning") === 0) return;
  process.removeAllListeners("warning");
  process.on("warning", ({ name, message }) => io.stderr(`(node) ${name}: ${message}\n`));
}

/**
 * Lets V8 compile WebAssembly a second time, for speed, only where there is a lot to run. undici parses HTTP in it, and on
 * Node 20 a handful of answers is enough: then the program waits at its end for a compilation that nobody needs any
 * more, longer than the plan itself took. Later versions of V8 begin as late by themselves.
 * @param v8 the version of V8, as `process.versions` has it
 */
export function delayWasmTierUp(v8: string): void {
  if (v8.startsWith("11.")) setFlagsFromString("--wasm-tiering-budget=100000000");
}
