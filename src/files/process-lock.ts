import { randomUUID } from "node:crypto";
import { readFileSync, readlinkSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { isObject } from "../core/json.js";
import { hasCode, unwritableBecause } from "./file-errors.js";

/** Who holds a lock: the content of the lock file. */
export interface LockHolder {
  readonly host: string;
  /** Null where the system has no `/proc`, like `started`. */
  readonly pid: string | null;
  /** Tells it apart from a later process with the same id. */
  readonly started: string | null;
  /** The system on which `pid` means this process: host, boot and process namespace. */
  readonly system: string;
  /** RFC 3339. */
  readonly since: string;
  readonly token: string;
}

/** How a lock is kept and judged, in milliseconds. */
export interface LockTimes {
  /** Between two signs of life. */
  readonly renewMs: number;
  /** How long a lock of another system is watched for one. */
  readonly watchMs: number;
}

const usualTimes: LockTimes = { renewMs: 2_000, watchMs: 7_000 };

/** What a process holds alone. */
export interface ProcessLock {
  readonly taken: true;
  /** Whether the holder before was killed, or never released it: what it had begun may still be under way. */
  readonly tookOver: boolean;
  /**
   * Why nothing may be written under this lock now; null = it is held. Ask before each write: it reads one small file.
   * After a pause so long that others may count this process as dead, the lock is not trusted until it has shown for as
   * long again that it lives and nobody has taken the lock.
   */
  problem(): string | null;
  release(): Promise<void>;
}

/** A lock that another process holds. */
export interface ForeignLock {
  readonly taken: false;
  /** Null when the file doesn't say. */
  readonly holder: LockHolder | null;
}

/**
 * Takes a lock file for this process alone. One that a killed process left is taken over: on the same Linux its process
 * no longer runs; anywhere else (another container, a shared disk) it shows no sign of life. When several take it over at
 * once, the last one holds it.
 * @param lock absolute, in a directory that others can't write to
 * @throws EdgewiseError `io` when it can't be written
 */
export async function takeProcessLock(lock: string, times = usualTimes): Promise<ProcessLock | ForeignLock> {
  const mine = ownHolder();
  const text = `${JSON.stringify(mine)}\n`;
  try {
    if (create(lock, text)) return held(lock, mine, false, times);
    const found = readHolder(lock);
    if (await isAlive(lock, found, times.watchMs)) return { taken: false, holder: found };
    const temporary = `${lock}.${mine.token}`;
    create(temporary, text);
    renameSync(temporary, lock);
    // Others that found the same dead holder replace the lock in this time.
    await sleep(Math.min(200, times.watchMs));
    const now = readHolder(lock);
    return now?.token === mine.token ? held(lock, mine, true, times) : { taken: false, holder: now };
  } catch (cause) {
    throw unwritableBecause(lock, cause);
  }
}

function held(lock: string, mine: LockHolder, tookOver: boolean, { renewMs, watchMs }: LockTimes): ProcessLock {
  let last = clocks();
  let trustedFrom = 0;
  /** One clock stands still while the computer sleeps, the other may be set. */
  const stoodStill = (now: Clocks): boolean =>
    Math.max(now.steady - last.steady, now.wall - last.wall) >= watchMs - renewMs;
  /** A failure is not reported: the next one may succeed, and who watches waits for several. */
  const beat = (): void => {
    const now = clocks();
    if (stoodStill(now)) trustedFrom = now.steady + watchMs;
    last = now;
    try {
      if (isOwn()) utimesSync(lock, new Date(), new Date());
    } catch {
      // As above.
    }
  };
  const isOwn = (): boolean => readHolder(lock)?.token === mine.token;
  const renewal = setInterval(beat, renewMs).unref();
  return {
    taken: true,
    tookOver,
    problem: () => {
      if (!isOwn()) return `the lock ${lock} is no longer this process's`;
      if (stoodStill(clocks())) beat();
      if (performance.now() >= trustedFrom) return null;
      return `this process stood still, and another one may be taking over the lock ${lock}`;
    },
    release: async () => {
      clearInterval(renewal);
      if (isOwn()) rmSync(lock, { force: true });
    },
  };
}

interface Clocks {
  readonly steady: number;
  readonly wall: number;
}

function clocks(): Clocks {
  return { steady: performance.now(), wall: Date.now() };
}

/** Writes the lock, unless there is one: the system lets only one process create a file. */
function create(lock: string, text: string): boolean {
  try {
    writeFileSync(lock, text, { flag: "wx", mode: 0o600 });
    return true;
  } catch (cause) {
    if (hasCode(cause, "EEXIST")) return false;
    throw cause;
  }
}

/** Null when there is none, or it is unreadable: its writer was killed, or is still writing. */
function readHolder(lock: string): LockHolder | null {
  try {
    const holder: unknown = JSON.parse(readFileSync(lock, "utf8"));
    return isHolder(holder) ? holder : null;
  } catch (cause) {
    if (hasCode(cause, "ENOENT") || cause instanceof SyntaxError) return null;
    throw cause;
  }
}

function isHolder(value: unknown): value is LockHolder {
  if (!isObject(value)) return false;
  const isTextOrNull = (member: string): boolean => value[member] === null || typeof value[member] === "string";
  const texts = ["system", "host", "since", "token"].every((member) => typeof value[member] === "string");
  return texts && isTextOrNull("pid") && isTextOrNull("started");
}

/** Whether its process runs, where this system can know; else whether it shows a sign of life. */
async function isAlive(lock: string, holder: LockHolder | null, watchMs: number): Promise<boolean> {
  const { started, system } = ownHolder();
  if (holder !== null && holder.system === system && started !== null && holder.started !== null) {
    return holder.started === startOf(holder.pid);
  }
  const lastSign = (): number | null => statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? null;
  const before = lastSign();
  const until = performance.now() + watchMs;
  while (performance.now() < until) {
    await sleep(Math.min(100, watchMs));
    const now = lastSign();
    if (now !== before) return now !== null;
  }
  return false;
}

function ownHolder(): LockHolder {
  const boot = textOf(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim());
  const namespace = textOf(() => readlinkSync("/proc/self/ns/pid"));
  const pid = textOf(() => readlinkSync("/proc/self"));
  const system = [hostname(), boot, namespace].join(" ");
  const since = new Date().toISOString();
  return { pid, started: startOf(pid), system, host: hostname(), since, token: randomUUID() };
}

/**
 * When a process began, in ticks since the boot. Null when it doesn't run, was killed and is listed only because its
 * parent has not asked for its exit code (in a container, nobody may ever ask), or the system doesn't say.
 */
function startOf(pid: string | null): string | null {
  const stat = textOf(() => readFileSync(`/proc/${pid}/stat`, "utf8"));
  if (stat === null) return null;
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

/** Who holds a lock, for a message: ` (process 12 on host, since …)`, or nothing when the file doesn't say. */
export function holderWords(holder: LockHolder | null): string {
  if (holder === null) return "";
  return ` (process ${holder.pid ?? "unknown"} on ${holder.host}, since ${holder.since})`;
}
