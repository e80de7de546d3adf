import process from "node:process";
import { Worker } from "node:worker_threads";
import { RE2JS } from "re2js";
import { evaluatePolicies } from "./compile-policy.js";
import { type PolicyReply, type PolicyRequest, longestAnswerMs } from "./plan-policy.js";

const parent = process.ppid;

const patterns = new Map<string, RE2JS>();

// For the library's `matches`: V8's patterns may take for ever.
Object.defineProperty(globalThis, "RegExp", {
  value: function RegExp(pattern: string): RE2JS {
    const compiled = patterns.get(pattern) ?? RE2JS.compile(pattern);
    patterns.set(pattern, compiled);
    return compiled;
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
