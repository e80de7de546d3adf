import { randomUUID } from "node:crypto";
import { readFileSync, readlinkSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import type { EdgewiseError } from "../core/errors.js";
import { hasCode, unwritableBecause } from "./file-errors.js";

/** Without `/proc` both `pid` and `started` are null. */
type LockHolder = Readonly<{
  host: string;
  pid: string | null;
  /** Tells the process apart from a later one with the same id. */
  started: string | null;
  /** Host, boot and process namespace. */
  system: string;
  since: string;
  token: string;
}>;

/** `watchMs`: of another system's lock, for a sign of life. */
export type LockTimes = Readonly<{
  renewMs: number;
  watchMs: number;
}>;

export interface ProcessLock {
  /** What its holder had begun may still be under way. */
  readonly tookOver: boolean;
  /**
   * Why nothing may be written now; null = it is held. After a pause so long that others may count this process as dead,
   * the lock is not trusted until it has been kept for as long again.
   */
  problem(): string | null;
  release(): Promise<void>;
}

/**
 * Takes over the lock of a killed process: on the same Linux it no longer runs; elsewhere (another container, a shared
 * disk) it shows no sign of life. When several take it over at once, the last one holds it.
 */
export async function takeProcessLock(
  lock: string,
  heldBy: (holder: string) => EdgewiseError,
  { renewMs, watchMs }: LockTimes = { renewMs: 2_000, watchMs: 7_000 },
): Promise<ProcessLock> {
  const mine = ownHolder();
  try {
    const tookOver = !create(lock, mine);
    if (tookOver) {
      const found = readHolder(lock);
      if (await isAlive(lock, found, mine, watchMs)) throw heldBy(holderWords(found));
      const temporary = `${lock}.${mine.token}`;
      create(temporary, mine);
      renameSync(temporary, lock);
      // Others may take it over, too.
      await sleep(Math.min(200, watchMs));
      const now = readHolder(lock);
      if (now?.token !== mine.token) throw heldBy(holderWords(now));
    }
    return held(lock, mine.token, tookOver, { renewMs, watchMs });
  } catch (cause) {
    throw unwritableBecause(lock, cause);
  }
}

function held(lock: string, token: string, tookOver: boolean, { renewMs, watchMs }: LockTimes): ProcessLock {
  const isOwn = (): boolean => readHolder(lock)?.token === token;
  // One clock stands still while the computer sleeps, the other may be set.
  let [steady, wall] = [performance.now(), Date.now()];
  let trustedFrom = 0;
  const stoodStill = (): boolean => Math.max(performance.now() - steady, Date.now() - wall) >= watchMs - renewMs;
  const beat = (): void => {
    if (stoodStill()) trustedFrom = performance.now() + watchMs;
    [steady, wall] = [performance.now(), Date.now()];
    try {
      if (isOwn()) utimesSync(lock, new Date(), new Date());
    } catch {}
  };
  const renewal = setInterval(beat, renewMs).unref();
  return {
    tookOver,
    problem() {
      if (!isOwn()) return `the lock ${lock} is no longer this process's`;
      if (stoodStill()) beat();
      if (performance.now() >= trustedFrom) return null;
      return `this process stood still, and another one may be taking over the lock ${lock}`;
    },
    async release() {
      clearInterval(renewal);
      if (isOwn()) rmSync(lock, { force: true });
    },
  };
}

function create(lock: string, holder: LockHolder): boolean {
  try {
    writeFileSync(lock, `${JSON.stringify(holder)}\n`, { flag: "wx", mode: 0o600 });
    return true;
  } catch (cause) {
    if (hasCode(cause, "EEXIST")) return false;
    throw cause;
  }
}

/** Null also while it is being written. */
function readHolder(lock: string): LockHolder | null {
  try {
    const holder = JSON.parse(readFileSync(lock, "utf8")) as LockHolder | null;
    return typeof holder?.token === "string" ? holder : null;
  } catch (cause) {
    if (hasCode(cause, "ENOENT") || cause instanceof SyntaxError) return null;
    throw cause;
  }
}

async function isAlive(lock: string, found: LockHolder | null, mine: LockHolder, watchMs: number): Promise<boolean> {
  if (found?.system === mine.system && mine.started !== null && found.started !== null)
    return found.started === startOf(found.pid);
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
  const boot = systemText(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim());
  const namespace = systemText(() => readlinkSync("/proc/self/ns/pid"));
  const pid = systemText(() => readlinkSync("/proc/self"));
  const [host, since] = [hostname(), new Date().toISOString()];
  return { pid, started: startOf(pid), system: `${host} ${boot} ${namespace}`, host, since, token: randomUUID() };
}

/** In ticks since the boot; null = it doesn't run. */
function startOf(pid: string | null): string | null {
  const stat = systemText(() => readFileSync(`/proc/${pid}/stat`, "utf8")) ?? "";
  // The program's name, in parentheses, may hold anything.
  const values = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return values[0] === "Z" || values[0] === "X" ? null : (values[19] ?? null);
}

function systemText(read: () => string): string | null {
  try {
    return read();
  } catch {
    return null;
  }
}

function holderWords(holder: LockHolder | null): string {
  return holder === null ? "" : ` (process ${holder.pid ?? "unknown"} on ${holder.host}, since ${holder.since})`;
}
