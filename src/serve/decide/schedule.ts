import type { StackPolicy } from "../fleet/fleet.js";
import type { StackRecord, StackState, StackStatus } from "../records.js";
import { nextOpening } from "./windows.js";

/** How far a look may be from its interval, either way: stacks that began together drift apart. */
const jitter = 0.1;
const longestWait = 1 + jitter;
const leastMs = 1000;
const windowSpreadMs = 30_000;
/** Within so long a stack whose account is locked is looked at again: an apply by hand is soon over. */
const lockedMs = 60_000;
export const staleIntervals = 3;

export interface ScheduleInput {
  readonly status: Pick<StackStatus, "state" | "reason">;
  readonly failures: number;
  readonly policy: Pick<StackPolicy, "intervalMs" | "suspend" | "windows">;
  readonly now: number;
  readonly random: number;
  readonly recovered?: boolean;
  /** Nothing is ever written, so that what is on its way does not arrive; absent = it does. */
  readonly dryRun?: boolean;
  /** Until when nothing may be written, whatever is allowed; absent or past = that is not so. */
  readonly notBefore?: number;
}

/**
 * When a stack is looked at again, never later than 1.1 intervals from now: in a second when something is on its way;
 * soon, and later each time, after a failure; within a minute while the account is locked; within the interval after a
 * recovery; soon after its window opens or its suspension ends; else after its interval.
 */
export function nextLookAfter(input: ScheduleInput): number {
  return Math.floor(input.now + waitAfter(input));
}

function waitAfter(input: ScheduleInput): number {
  const { failures, now, policy, random, status } = input;
  const { intervalMs } = policy;
  const soonest = Math.min(leastMs, intervalMs);
  const within = (mostMs: number): number => soonest + random * (Math.min(intervalMs, mostMs) - soonest);
  if (status.state === "pending" && input.dryRun !== true)
    return Math.min(intervalMs, Math.max(soonest, (input.notBefore ?? 0) - now));
  if (status.state === "failed") return within(leastMs * 2 ** Math.min(30, Math.max(1, failures)));
  if (status.reason === "locked") return within(lockedMs);
  if (input.recovered === true) return within(intervalMs);
  const regular = intervalMs * (1 - jitter + 2 * jitter * random);
  const awaited = awaitedTime(input);
  if (awaited === null) return regular;
  const spread = random * Math.min(intervalMs * jitter, windowSpreadMs);
  return Math.min(regular, Math.max(0, awaited - now) + spread);
}

function awaitedTime({ now, policy, status }: ScheduleInput): number | null {
  if (status.reason === "suspended") return policy.suspend?.until ?? null;
  return status.reason === "window" ? nextOpening(policy.windows, now) : null;
}

export interface Scheduled {
  readonly intervalMs: number;
  readonly record: Pick<StackRecord, "status"> | null;
  /** When something happened that makes it worth a look (a commit, a hook, the fleet file); null = nothing did. */
  readonly hastenedAt: number | null;
}

/** When a stack is due. What was never looked at is due at once. */
export function dueAt({ hastenedAt, intervalMs, record }: Scheduled, now: number): number {
  if (record === null || hastenedAt !== null) return Math.min(now, hastenedAt ?? now);
  const { lookedAt, nextLook } = record.status;
  const isPossible = (lookedAt === null || lookedAt <= now) && nextLook <= now + intervalMs * longestWait;
  return isPossible ? nextLook : now;
}

/** Never looked at first, then by age. A look in the future was before the clock was set back. */
export function oldestFirst<T extends Pick<Scheduled, "record">>(stacks: readonly T[], now: number): readonly T[] {
  const lookOf = ({ record }: T): number => {
    const lookedAt = record?.status.lookedAt ?? null;
    return lookedAt === null || lookedAt > now ? -Infinity : lookedAt;
  };
  return stacks.toSorted((one, other) => lookOf(one) - lookOf(other));
}

/** `unknown` when there was no complete look, or the last one is older than three intervals. */
export function shownState(
  { lookedAt, state }: Pick<StackStatus, "lookedAt" | "state">,
  intervalMs: number,
  now: number,
): StackState {
  if (state === "orphaned" || state === "failed") return state;
  if (lookedAt === null) return "unknown";
  const age = now - lookedAt;
  // After the clock was set back, how old a look of the future is can't be told. A step of it is no reason to doubt.
  return -age > intervalMs * jitter || age > staleIntervals * intervalMs ? "unknown" : state;
}
