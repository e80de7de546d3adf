#!/usr/bin/env node
import { nodeProblem } from "./commands/support/node-problem.js";
import { version } from "./version.js";

// Nothing else is imported up front: `--version` and the error about an old Node must work without the rest.
const args = process.argv.slice(2);
const problem = nodeProblem(process.versions.node);
if (problem !== null) {
  process.stderr.write(`error: ${problem}\n`);
  process.exitCode = 1;
} else if (args.length === 1 && (args[0] === "--version" || args[0] === "-V")) {
  process.stdout.write(`${version}\n`);
} else {
  const {
    curbHeapGrowth,
    delayWasmTierUp,
    endOnSignals,
    guarded,
    processIo,
    run,
    showUncaughtErrors,
    surviveClosedPipes,
  } = await import("./commands/run.js");
  delayWasmTierUp(process.versions.v8);
  curbHeapGrowth(args);
  const io = guarded(processIo());
  surviveClosedPipes();
  endOnSignals();
  showUncaughtErrors(io);
  const exit = await run(args, io);
  // A stream that failed meanwhile has set the exit code.
  process.exitCode = exit === 0 ? (process.exitCode ?? 0) : exit;
}
