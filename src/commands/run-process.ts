import { run } from "./run.js";
import { guarded } from "./support/io.js";
import {
  delayWasmTierUp,
  endOnSignals,
  processIo,
  showUncaughtErrors,
  surviveClosedPipes,
} from "./support/process-io.js";

/**
 * Runs a command line as this process, and sets its exit code.
 * @param args without node and the script
 */
export async function runProcess(args: readonly string[]): Promise<void> {
  delayWasmTierUp(process.versions.v8);
  const io = guarded(processIo());
  surviveClosedPipes();
  endOnSignals();
  showUncaughtErrors(io);
  const exit = await run(args, io);
  // A stream that failed meanwhile has set the exit code.
  process.exitCode = exit === 0 ? (process.exitCode ?? 0) : exit;
}
