import { createHash } from "node:crypto";
import {
  type AccountRecord,
  type SourceRecord,
  type StackRecord,
  newAccountRecord,
  newStackMemory,
  unknownStatus,
} from "../records.js";

// What stands for a record that can't be read. Nobody knows what it said, so it allows the least that it may have allowed.

/** A fleet file that allows more deletes in a day has no limit to protect. */
const allDeletes = 10_000;

/** How long an account whose record was damaged is only looked at, in milliseconds: the interval of a stack that names none. */
const damagedQuietMs = 600_000;

/** A stack that was never looked at, and that has used up the deletes of the day. */
export function damagedStack(name: string, message: string, now: number): StackRecord {
  return {
    name,
    account: "",
    source: "",
    stack: null,
    status: unknownStatus(message, now),
    // Nothing was ever in sync, so every difference needs what a commit and what drift needs. It may have been written.
    memory: { ...newStackMemory, deletes: Array<number>(allDeletes).fill(now), writing: { since: now, made: {} } },
  };
}

/** An account whose unasked writes are stopped, as after a time without sight. */
export function damagedAccount(name: string, message: string, now: number): AccountRecord {
  const id = createHash("sha256").update(`${name} ${now}`).digest("hex").slice(0, 12);
  return {
    ...newAccountRecord(name),
    brake: { id, cause: "blind", message, since: now, lastSeen: now, quietMs: damagedQuietMs },
    blindSince: now,
    lastWrite: now,
  };
}

/**
 * A source that follows what its stacks were last looked at: a tip that does not descend from there is still noticed.
 * @param stacks all that are kept
 */
export function damagedSource(name: string, message: string, now: number, stacks: Iterable<StackRecord>): SourceRecord {
  let last: StackRecord | null = null;
  for (const stack of stacks) {
    if (stack.source !== name || stack.status.commit === null) continue;
    if (last === null || (stack.status.lookedAt ?? 0) > (last.status.lookedAt ?? 0)) last = stack;
  }
  const followed = last?.status.commit ?? null;
  return { name, followed, tip: followed, fetchedAt: null, problem: { code: "unusable", message, since: now } };
}
