import process from "node:process";
import { Worker } from "node:worker_threads";
import { evaluatePolicies } from "./compile-policy.js";
import { type PolicyReply, type PolicyRequest, longestAnswerMs } from "./plan-policy.js";

// The program of the process in which expressions of policies are evaluated.

const parent = process.ppid;

// V8's search has no bound in time. No call of `matches` gets here; should one do, it fails.
Object.defineProperty(globalThis, "RegExp", {
  value: function RegExp(): never {
    throw new Error("V8's patterns can't be used");
  },
});

/** Kills this process at the deadline or when the one that asked is gone: an expression may block its own thread. */
function watch(milliseconds: number): Worker {
  const program = `
    const end = () => process.kill(process.pid, "SIGKILL");
    setTimeout(end, ${milliseconds});
    setInterval(() => process.ppid === ${parent} || end(), 100);`;
  const watchdog = new Worker(program, { eval: true, env: {} });
  watchdog.unref();
  return watchdog;
}

// An interrupted apply ends in order, and this process with it.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => undefined);
process.on("disconnect", () => process.exit());
process.on("message", (request: PolicyRequest) => {
  // The process that asked kills this one at the deadline. It may be gone by then.
  const watchdog = watch(longestAnswerMs + 1000);
  const send = (reply: PolicyReply): void => void process.send?.(reply);
  send(evaluatePolicies(request, (running) => send({ running })));
  void watchdog.terminate();
});
