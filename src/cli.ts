#!/usr/bin/env node
import { keepCompiledCode } from "./commands/support/compile-cache.js";
import { nodeProblem } from "./commands/support/node-version.js";
import { evaluatorName } from "./policies/plan-policy.js";
import { version } from "./core/version.js";

/** The exit code of a program that ends although it has not finished: Node's own for a module that waits for ever. */
const unfinished = 13;

// Nothing else is imported up front: `--version` and the error about an old Node must work without the rest.
const args = process.argv.slice(2);
const problem = nodeProblem(process.versions.node);
if (problem !== null) {
  process.stderr.write(`error: ${problem}\n`);
  process.exitCode = 1;
} else if (args.length === 1 && (args[0] === "--version" || args[0] === "-V")) {
  process.stdout.write(`${version}\n`);
} else if (args[0] === evaluatorName && process.send !== undefined) {
  await import("./commands/support/policy-process.js");
} else {
  keepCompiledCode();
  await start();
}

async function start(): Promise<void> {
  let finished = false;
  process.once("exit", () => {
    if (!finished) process.exitCode ??= unfinished;
  });
  const { endOnSignals, endWhenDone, guarded, processIo, run, showUncaughtErrors, surviveClosedPipes } =
    await import("./commands/run.js");
  const io = guarded(processIo());
  surviveClosedPipes();
  endOnSignals(() => finished);
  endWhenDone();
  showUncaughtErrors(io);
  const exit = await run(args, io);
  // A stream that failed meanwhile has set the exit code.
  process.exitCode = exit === 0 ? (process.exitCode ?? 0) : exit;
  finished = true;
}
