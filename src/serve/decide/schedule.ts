import type { StackPolicy } from "../fleet/fleet.js";
import type { StackRecord, StackState, StackStatus } from "../records.js";
import { nextOpening } from "./windows.js";

const jitter = 0.1;
const leastMs = 1000;
const windowSpreadMs = 30_000;
const lockedMs = 60_000;
export const staleIntervals = 3;

export type ScheduleInput = Readonly<{
  status: Pick<StackStatus, "state" | "reason">;
  failures: number;
  policy: Pick<StackPolicy, "intervalMs" | "suspend" | "windows">;
  now: number;
  random: number;
  recovered?: boolean;
  dryRun?: boolean;
  notBefore?: number;
}>;

export function nextLookAfter(input: ScheduleInput): number {
  const { failures, now, policy, random, status } = input;
  const { intervalMs } = policy;
  const soonest = Math.min(leastMs, intervalMs);
  const within = (mostMs: number): number => soonest + random * (Math.min(intervalMs, mostMs) - soonest);
  const wait = (): number => {
    if (status.state === "pending" && input.dryRun !== true)
      return Math.min(intervalMs, Math.max(soonest, (input.notBefore ?? 0) - now));
    if (status.state === "failed") return within(leastMs * 2 ** Math.min(30, Math.max(1, failures)));
    if (status.reason === "locked") return within(lockedMs);
    if (input.recovered === true) return within(intervalMs);
    const regular = intervalMs * (1 - jitter + 2 * jitter * random);
    let awaited: number | null = null;
    if (status.reason === "suspended") awaited = policy.suspend?.until ?? null;
    if (status.reason === "window") awaited = nextOpening(policy.windows, now);
    if (awaited === null) return regular;
    return Math.min(regular, Math.max(0, awaited - now) + random * Math.min(intervalMs * jitter, windowSpreadMs));
  };
  return Math.floor(now + wait());
}

type Looked = Pick<StackRecord, "status"> | null;

export function dueAt(record: Looked, intervalMs: number, now: number): number {
  if (record === null) return now;
  const { lookedAt, nextLook } = record.status;
  const isPossible = (lookedAt === null || lookedAt <= now) && nextLook <= now + intervalMs * (1 + jitter);
  return isPossible ? nextLook : now;
}

export function oldestFirst<T extends { readonly record: Looked }>(stacks: readonly T[], now: number): readonly T[] {
  const lookOf = ({ record }: T): number => {
    const lookedAt = record?.status.lookedAt ?? null;
    return lookedAt === null || lookedAt > now ? -Infinity : lookedAt;
  };
  return stacks.toSorted((one, other) => lookOf(one) - lookOf(other));
}

export function shownState(
  { lookedAt, state }: Pick<StackStatus, "lookedAt" | "state">,
  intervalMs: number,
  now: number,
): StackState {
  if (state === "orphaned" || state === "failed") return state;
  if (lookedAt === null) return "unknown";
  const age = now - lookedAt;
  // A look in the future: the clock was set back. A small step is no reason to doubt.
  return -age > intervalMs * jitter || age > staleIntervals * intervalMs ? "unknown" : state;
}
