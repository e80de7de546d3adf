import { randomUUID } from "node:crypto";
import { renameSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { isObject } from "../core/json.js";
import { hasCode, unwritableBecause } from "./file-errors.js";
import { readBounded, readBoundedSync } from "./read-bounded.js";
import { type ProcessIdentity, isRunning, ownProcess } from "./running-process.js";

/** Who holds a lock: the content of the lock file. */
export interface LockHolder extends ProcessIdentity {
  readonly host: string;
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
   * A process that stood still for so long that others may count it as dead is not sure of its lock, until it has shown
   * again for a while that it lives and nobody has taken the lock.
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
 * Takes a lock file for this process alone. One that a killed process left is taken over, by exactly one of those who
 * try: on the same Linux its process no longer runs; anywhere else (another container, a shared disk) it shows no sign
 * of life.
 * @param lock absolute, in a directory that others can't write to
 * @throws EdgewiseError `io` when it can't be written
 */
export async function takeProcessLock(lock: string, times = usualTimes): Promise<ProcessLock | ForeignLock> {
  const mine: LockHolder = { ...ownProcess(), host: hostname(), since: new Date().toISOString(), token: randomUUID() };
  const other = await take(lock, mine, times);
  if (!("tookOver" in other)) return { taken: false, holder: other.holder };
  const pulse = new Pulse(lock, mine, times);
  const renewal = setInterval(() => pulse.beat(), times.renewMs).unref();
  return {
    taken: true,
    ...other,
    problem: () => pulse.problem(),
    release: async () => {
      clearInterval(renewal);
      if (isOwn(lock, mine)) rmSync(lock, { force: true });
    },
  };
}

/** The signs of life of a holder. */
class Pulse {
  readonly #lock: string;
  readonly #mine: LockHolder;
  readonly #times: LockTimes;
  #last = clocks();
  /** Until when the lock is not trusted, by the clock that is never set; null = it is. */
  #unsureUntil: number | null = null;

  constructor(lock: string, mine: LockHolder, times: LockTimes) {
    this.#lock = lock;
    this.#mine = mine;
    this.#times = times;
  }

  /** A failure is not reported: the next one may succeed, and who watches waits for several. */
  beat(): void {
    try {
      // Not the time after it: the process may stand still in the middle.
      const begun = this.#noticePause();
      if (!isOwn(this.#lock, this.#mine)) return;
      utimesSync(this.#lock, new Date(), new Date());
      this.#last = begun;
    } catch {
      // As above.
    }
  }

  problem(): string | null {
    this.#noticePause();
    if (!isOwn(this.#lock, this.#mine)) return `the lock ${this.#lock} is no longer this process's`;
    if (this.#unsureUntil === null) return null;
    if (performance.now() < this.#unsureUntil)
      return `this process stood still, and another one may be taking over the lock ${this.#lock}`;
    this.#unsureUntil = null;
    return null;
  }

  /**
   * After a pause, another process may have watched long enough and be about to take over: it is waited for.
   * @returns when it looked
   */
  #noticePause(): Clocks {
    const now = clocks();
    // One clock stands still while the computer sleeps, the other may be set.
    const paused = Math.max(now.steady - this.#last.steady, now.wall - this.#last.wall);
    if (paused < this.#times.watchMs - this.#times.renewMs) return now;
    this.#unsureUntil = now.steady + this.#times.watchMs;
    try {
      if (isOwn(this.#lock, this.#mine)) utimesSync(this.#lock, new Date(), new Date());
    } catch {
      // Then the next beat shows it.
    }
    this.#last = now;
    return now;
  }
}

interface Clocks {
  readonly steady: number;
  readonly wall: number;
}

function clocks(): Clocks {
  return { steady: performance.now(), wall: Date.now() };
}

/** Takes a lock; returns what is in the way of it, if anything. */
async function take(
  lock: string,
  mine: LockHolder,
  times: LockTimes,
): Promise<Pick<ProcessLock, "tookOver"> | Pick<ForeignLock, "holder">> {
  for (let attempt = 1; !create(lock, mine); attempt++) {
    const found = await readLock(lock);
    if (found === null) {
      // Others may take it and release it meanwhile, but not for ever: then it is a link that leads nowhere.
      if (attempt > 20) return { holder: null };
      continue;
    }
    if (attempt > 20 || (await isHeld(lock, found, times))) return { holder: found.holder };
    if (await replaceLock(lock, found, mine, times)) return { tookOver: true };
  }
  return { tookOver: false };
}

/** Writes the lock, unless there is one: the system lets only one process create a file. */
function create(lock: string, holder: LockHolder): boolean {
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
  readonly holder: LockHolder | null;
}

const mostBytes = 64 * 1024;

async function readLock(lock: string): Promise<FoundLock | null> {
  try {
    return parseLock((await readBounded(lock, { most: mostBytes })).toString("utf8"));
  } catch (cause) {
    if (hasCode(cause, "ENOENT")) return null;
    throw unwritableBecause(lock, cause);
  }
}

function parseLock(text: string): FoundLock {
  try {
    const holder: unknown = JSON.parse(text);
    return { text, holder: isHolder(holder) ? holder : null };
  } catch {
    return { text, holder: null };
  }
}

function isHolder(value: unknown): value is LockHolder {
  if (!isObject(value)) return false;
  const isTextOrNull = (member: string): boolean => value[member] === null || typeof value[member] === "string";
  const texts = ["system", "host", "since", "token"].every((member) => typeof value[member] === "string");
  return texts && isTextOrNull("pid") && isTextOrNull("started");
}

async function isHeld(lock: string, { holder }: FoundLock, { watchMs }: LockTimes): Promise<boolean> {
  const runs = holder === null ? null : isRunning(holder);
  if (runs !== null) return runs;
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
 * Puts a lock in the place of one that nobody holds. Several processes may try that at once, so each waits for its turn,
 * which is a lock as well, and looks again: otherwise the second would replace the lock of the first.
 * @returns whether it did: not when another process was faster
 */
async function replaceLock(lock: string, { text }: FoundLock, mine: LockHolder, times: LockTimes): Promise<boolean> {
  const turn = `${lock}.turn`;
  const until = performance.now() + times.watchMs;
  while ("holder" in (await take(turn, mine, times))) {
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

function isOwn(lock: string, mine: LockHolder): boolean {
  try {
    return parseLock(readBoundedSync(lock, mostBytes).toString("utf8")).holder?.token === mine.token;
  } catch (cause) {
    if (hasCode(cause, "ENOENT")) return false;
    throw unwritableBecause(lock, cause);
  }
}

/** Who holds a lock, for a message: ` (process 12 on host, since …)`, or nothing when the file doesn't say. */
export function holderWords(holder: LockHolder | null): string {
  if (holder === null) return "";
  return ` (process ${holder.pid ?? "unknown"} on ${holder.host}, since ${holder.since})`;
}
