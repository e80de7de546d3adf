import process from "node:process";
import { Worker } from "node:worker_threads";
import { evaluatePolicies } from "./compile-policy.js";
import { type PolicyReply, type PolicyRequest, longestAnswerMs } from "./plan-policy.js";

const parent = process.ppid;

// V8's search has no bound in time; no call of `matches` should get here.
Object.defineProperty(globalThis, "RegExp", {
  value: function RegExp(): never {
    throw new Error("V8's patterns can't be used");
  },
});

/** Kills this process at the deadline or when its parent is gone: an expression may block its own thread. */
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
  // The parent may be gone by the deadline.
  const watchdog = watch(longestAnswerMs + 1000);
  const send = (reply: PolicyReply): void => void process.send?.(reply);
  send(evaluatePolicies(request, (running) => send({ running })));
  void watchdog.terminate();
});
