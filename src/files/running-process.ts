import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";

/** Tells a process apart from every other one. */
export interface ProcessIdentity {
  /** Null where the system has no `/proc`. */
  readonly pid: string | null;
  /** The system on which `pid` means this process: host, boot and process namespace. */
  readonly system: string;
  /** Tells it apart from a later process with the same id; null like `pid`. */
  readonly started: string | null;
}

/** The process that runs this. */
export function ownProcess(): ProcessIdentity {
  const boot = textOf(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim());
  const namespace = textOf(() => readlinkSync("/proc/self/ns/pid"));
  const pid = textOf(() => readlinkSync("/proc/self"));
  return { pid, started: startOf(pid), system: [hostname(), boot, namespace].join(" ") };
}

/** Whether a process still runs; null when this system can't know: it is another system's, or there is no `/proc`. */
export function isRunning(process: ProcessIdentity): boolean | null {
  const own = ownProcess();
  if (own.started === null || process.system !== own.system || process.started === null) return null;
  return process.started === startOf(process.pid);
}

/** When a process began, in ticks since the boot; null when it does not run, or the system doesn't say. */
function startOf(pid: string | null): string | null {
  const stat = textOf(() => readFileSync(`/proc/${pid}/stat`, "utf8"));
  return stat === null ? null : startIn(stat);
}

/**
 * When a process began, from its `/proc/PID/stat`. Null when it was killed and is listed only because its parent has not
 * asked for its exit code: in a container, nobody may ever ask.
 */
export function startIn(stat: string): string | null {
  // The name of the program, which may hold anything, is in parentheses; the state is the first value after it.
  const values = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return values[0] === "Z" || values[0] === "X" ? null : (values[19] ?? null);
}

function textOf(read: () => string): string | null {
  try {
    return read();
  } catch {
    return null;
  }
}
