import type { Io } from "./io.js";

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
export function mayColor(env: { readonly [name: string]: string | undefined }, terminal: boolean): boolean {
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
