import { type Impact, impactRank } from "../../kinds/impact.js";
import type { ChangeOrigin, StackState, WaitReason, WaitingEffect } from "../records.js";
import { shownState, staleIntervals } from "../decide/schedule.js";
import type { StackView } from "./serve-view.js";

/** A stack as HTTP gives it (schemas/serve-stack.schema.json). Times are RFC 3339. */
export interface ShownStack {
  readonly name: string;
  readonly state: StackState;
  readonly reason: WaitReason | null;
  readonly message: string;
  readonly since: string;
  readonly commit: string | null;
  readonly appliedCommit: string | null;
  readonly ageSeconds: number | null;
  readonly impact: Impact;
  readonly changes: { readonly [O in ChangeOrigin]: number };
  readonly digest: string | null;
  readonly nextLook: string;
  readonly uncomparedSecrets: number;
  readonly intervalSeconds: number;
  readonly account: string;
  readonly source: string;
}

/** What the digest of a stack names, beside the changes of its plan; null = it has none. */
export function shownApproval({ record }: StackView): Omit<WaitingEffect, "digest"> | null {
  const waiting = record.memory.approval?.waiting ?? null;
  if (waiting === null || waiting.digest !== record.status.digest) return null;
  const { baseUrl, marker, nonce, sides } = waiting;
  return { nonce, baseUrl, marker, sides };
}

/** The state as it may be shown: `unknown` when the last complete look is too long ago. */
export function stateAt({ intervalMs, record }: StackView, now: number): StackState {
  return shownState(record.status, intervalMs, now);
}

/** What is too old keeps its facts, and says that it is not known whether they hold. */
export function showStack(view: StackView, now: number): ShownStack {
  const { intervalMs, record } = view;
  const { status } = record;
  const state = stateAt(view, now);
  const lookedAt = state === status.state ? null : status.lookedAt;
  const outdated = lookedAt !== null;
  const since = outdated ? Math.min(now, lookedAt + staleIntervals * intervalMs) : status.since;
  return {
    name: record.name,
    state,
    reason: state === "waiting" ? status.reason : null,
    message: outdated
      ? `It is not known how the stack is now. The last complete look said: ${status.state}. ${status.message}`
      : status.message,
    since: timeOf(since),
    commit: status.commit,
    appliedCommit: status.appliedCommit,
    ageSeconds: ageSeconds(status.lookedAt, now),
    impact: status.impact,
    changes: { commit: status.changes.commit, drift: status.changes.drift, both: status.changes.both },
    digest: status.digest,
    nextLook: timeOf(status.nextLook),
    uncomparedSecrets: status.uncomparedSecrets,
    intervalSeconds: intervalMs / 1000,
    account: record.account,
    source: record.source,
  };
}

/** How old something is, to a thousandth of a second. A clock that was set back makes nothing younger than new. */
export function ageSeconds(time: number | null, now: number): number | null {
  return time === null ? null : Math.round(Math.max(0, now - time)) / 1000;
}

const latest = 8.64e15;

function timeOf(ms: number): string {
  return new Date(Math.min(Math.max(Number.isFinite(ms) ? ms : latest, -latest), latest)).toISOString();
}

export const worstFirst: readonly StackState[] = [
  "failed",
  "refused",
  "unknown",
  "orphaned",
  "waiting",
  "pending",
  "synced",
];

export interface Standing {
  readonly rank: number;
  readonly name: string;
}

export function standingOf(state: StackState, impact: Impact, name: string): Standing {
  return { rank: worstFirst.indexOf(state) * 10 + (9 - impactRank(impact)), name };
}

export function worstStacksFirst(stacks: readonly ShownStack[]): readonly ShownStack[] {
  const standing = ({ state, impact, name }: ShownStack): Standing => standingOf(state, impact, name);
  return stacks.toSorted((a, b) => byStanding(standing(a), standing(b)));
}

export function byStanding(a: Standing, b: Standing): number {
  if (a.rank !== b.rank) return a.rank - b.rank;
  if (a.name === b.name) return 0;
  return a.name < b.name ? -1 : 1;
}
