import { randomUUID } from "node:crypto";
import { readFileSync, readlinkSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { EdgewiseError } from "../errors.js";
import { hasCode, unwritableBecause } from "../files/file-errors.js";
import { readBounded } from "../files/read-bounded.js";
import { type Workplace, fileTarget } from "../files/write-target.js";
import { isObject } from "../json.js";

/** Who holds a data file: the content of `FILE.lock`. */
interface Holder {
  /** Null where the system has no `/proc`. */
  readonly pid: string | null;
  /** The system on which `pid` means this process: host, boot and process namespace. */
  readonly system: string;
  /** Tells it apart from a later process with the same id; null like `pid`. */
  readonly started: string | null;
  readonly host: string;
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

/** A data file that no other sandbox may use meanwhile. */
export interface DataFileLock {
  release(): Promise<void>;
}

/**
 * Takes a data file for this sandbox alone, with a file `FILE.lock` beside it. A lock that a killed sandbox left is
 * taken over: on the same Linux its process no longer runs; anywhere else (another container, a shared disk) it shows
 * no sign of life. Pipes and devices are not locked.
 * @param file absolute
 * @throws EdgewiseError `io` when another sandbox holds it, or the lock can't be written
 */
export async function lockDataFile(file: string, place: Workplace, times = usualTimes): Promise<DataFileLock> {
  const { existing, path } = fileTarget(file, place);
  if (existing !== null && !existing.isFile()) return { release: async () => {} };
  const lock = `${path}.lock`;
  const mine: Holder = { ...ownProcess(), host: hostname(), since: new Date().toISOString(), token: randomUUID() };
  const other = await take(lock, mine, times);
  if (other !== null) throw heldBy(file, lock, other.holder);
  const renewal = setInterval(() => void renew(lock, mine), times.renewMs).unref();
  return {
    release: async () => {
      clearInterval(renewal);
      if (await isOwn(lock, mine)) rmSync(lock, { force: true });
    },
  };
}

/** Takes a lock; returns what is in the way of it, if anything. */
async function take(lock: string, mine: Holder, times: LockTimes): Promise<Pick<FoundLock, "holder"> | null> {
  for (let attempt = 1; !create(lock, mine); attempt++) {
    const found = await readLock(lock);
    // Others may take it and release it meanwhile, but not for ever: then it is a link that leads nowhere.
    if (attempt > 20 || (found !== null && (await isHeld(lock, found, times))))
      return { holder: found?.holder ?? null };
    if (found !== null && (await replaceLock(lock, found, mine, times))) return null;
  }
  return null;
}

/** Writes the lock, unless there is one: the system lets only one process create a file. */
function create(lock: string, holder: Holder): boolean {
  try {
    writeFileSync(lock, `${JSON.stringify(holder)}\n`, { flag: "wx", mode: 0o600 });
    return true;
  } catch (cause) {
    if (hasCode(cause, "EEXIST")) return false;
    throw unwritableBecause(lock, cause);
  }
}

/** What a lock file holds. */
interface FoundLock {
  readonly text: string;
  /** Null when it is unreadable: its writer was killed, or is still writing. */
  readonly holder: Holder | null;
}

async function readLock(lock: string): Promise<FoundLock | null> {
  let text: string;
  try {
    text = (await readBounded(lock, { most: 64 * 1024 })).toString("utf8");
  } catch (cause) {
    if (hasCode(cause, "ENOENT")) return null;
    throw unwritableBecause(lock, cause);
  }
  try {
    const holder: unknown = JSON.parse(text);
    return { text, holder: isHolder(holder) ? holder : null };
  } catch {
    return { text, holder: null };
  }
}

function isHolder(value: unknown): value is Holder {
  if (!isObject(value)) return false;
  const isTextOrNull = (member: string): boolean => value[member] === null || typeof value[member] === "string";
  const texts = ["system", "host", "since", "token"].every((member) => typeof value[member] === "string");
  return texts && isTextOrNull("pid") && isTextOrNull("started");
}

async function isHeld(lock: string, { holder }: FoundLock, { watchMs }: LockTimes): Promise<boolean> {
  const own = ownProcess();
  if (own.started !== null && holder?.system === own.system && holder.started !== null)
    return holder.started === startOf(holder.pid);
  const before = lastSign(lock);
  const until = performance.now() + watchMs;
  while (performance.now() < until) {
    await sleep(Math.min(100, watchMs));
    const now = lastSign(lock);
    if (now !== before) return now !== null;
  }
  return false;
}

/** When the holder last showed that it lives, by the file system's clock; null when the lock is gone. */
function lastSign(lock: string): number | null {
  return statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? null;
}

/**
 * Puts a lock in the place of one that nobody holds. Several sandboxes may try that at once, so each waits for its turn,
 * which is a lock as well, and looks again: otherwise the second would replace the lock of the first.
 * @returns whether it did: not when another sandbox was faster
 */
async function replaceLock(lock: string, { text }: FoundLock, mine: Holder, times: LockTimes): Promise<boolean> {
  const turn = `${lock}.turn`;
  const until = performance.now() + times.watchMs;
  while ((await take(turn, mine, times)) !== null) {
    if (performance.now() > until) return false;
    await sleep(20);
  }
  const temporary = `${lock}.${mine.token}`;
  try {
    if ((await readLock(lock))?.text !== text || !create(temporary, mine)) return false;
    renameSync(temporary, lock);
    return true;
  } catch (cause) {
    rmSync(temporary, { force: true });
    throw unwritableBecause(lock, cause);
  } finally {
    rmSync(turn, { force: true });
  }
}

/** Shows that this sandbox lives. A failure is not reported: the next one may succeed, and who watches waits for several. */
async function renew(lock: string, mine: Holder): Promise<void> {
  try {
    if (await isOwn(lock, mine)) utimesSync(lock, new Date(), new Date());
  } catch {
    // As above.
  }
}

async function isOwn(lock: string, mine: Holder): Promise<boolean> {
  return (await readLock(lock))?.holder?.token === mine.token;
}

function ownProcess(): Pick<Holder, "pid" | "started" | "system"> {
  const boot = textOf(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim());
  const namespace = textOf(() => readlinkSync("/proc/self/ns/pid"));
  const pid = textOf(() => readlinkSync("/proc/self"));
  return { pid, started: startOf(pid), system: [hostname(), boot, namespace].join(" ") };
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

function heldBy(file: string, lock: string, holder: Holder | null): EdgewiseError {
  const who = holder === null ? "" : ` (process ${holder.pid ?? "unknown"} on ${holder.host}, since ${holder.since})`;
  return new EdgewiseError("io", `the data file ${file} can't be used: another sandbox holds it${who}`, {
    remedy: `Stop that sandbox, or name another file. If it no longer runs, remove ${lock}.`,
  });
}
