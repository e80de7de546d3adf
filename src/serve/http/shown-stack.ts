import { type Impact, impactRank, impacts } from "../../kinds/impact.js";
import {
  type AccountRecord,
  type ChangeOrigin,
  type SourceRecord,
  type StackRecord,
  type StackState,
  type WaitingEffect,
  type WaitReason,
  stackStates,
} from "../records.js";
import { shownState, staleIntervals } from "../decide/schedule.js";
import type { Plan } from "../../plan/plan-format.js";
import type { Trouble } from "../serve-events.js";
import type { HistoryPage } from "../store/store.js";

/** schemas/serve-stack.schema.json */
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

export function shownApproval({ record }: StackView): Omit<WaitingEffect, "digest"> | null {
  const waiting = record.memory.approval?.waiting ?? null;
  if (waiting === null || waiting.digest !== record.status.digest) return null;
  const { baseUrl, marker, nonce, sides } = waiting;
  return { nonce, baseUrl, marker, sides };
}

export function stateAt({ intervalMs, record }: StackView, now: number): StackState {
  return shownState(record.status, intervalMs, now);
}

export function countStates(stacks: readonly StackView[], now: number): { [S in StackState]: number } {
  const counts = { synced: 0, pending: 0, waiting: 0, refused: 0, failed: 0, orphaned: 0, unknown: 0 };
  for (const stack of stacks) counts[stateAt(stack, now)] += 1;
  return counts;
}

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
    changes: status.changes,
    digest: status.digest,
    nextLook: timeOf(status.nextLook),
    uncomparedSecrets: status.uncomparedSecrets,
    intervalSeconds: intervalMs / 1000,
    account: record.account,
    source: record.source,
  };
}

/** A clock that was set back makes nothing younger than new. */
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

interface Standing {
  readonly rank: number;
  readonly name: string;
}

function standingOf(state: StackState, impact: Impact, name: string): Standing {
  return { rank: worstFirst.indexOf(state) * 10 + (9 - impactRank(impact)), name };
}

export function worstStacksFirst(stacks: readonly ShownStack[]): readonly ShownStack[] {
  const standing = ({ state, impact, name }: ShownStack): Standing => standingOf(state, impact, name);
  return stacks.toSorted((a, b) => byStanding(standing(a), standing(b)));
}

function byStanding(a: Standing, b: Standing): number {
  if (a.rank !== b.rank) return a.rank - b.rank;
  if (a.name === b.name) return 0;
  return a.name < b.name ? -1 : 1;
}

export interface ServeView {
  stacks(): readonly StackView[];
  stack(name: string): StackView | null;
  plan(stack: string): Promise<Plan | null>;
  history(stack: string, page: { readonly limit: number; readonly after: string | null }): Promise<HistoryPage>;
  sources(): readonly SourceRecord[];
  accounts(): readonly AccountRecord[];
  troubles(): readonly Trouble[];
  passing(): number;
  heartbeat(): number;
  /** Outages of the service and of Git are no reason. */
  unreadiness(): Promise<readonly string[]>;
  markDue(source: string, at: number): void;
}

export interface StackView {
  readonly record: StackRecord;
  readonly intervalMs: number;
  readonly approvable?: boolean;
}

export interface ListQuery {
  readonly states: ReadonlySet<StackState>;
  readonly limit: number | null;
  readonly after: string | null;
  readonly search: string | null;
}

const mostListed = 100_000;

/** Reads `?state=failed,waiting&limit=100&after=…`. */
export function readQuery(query: string, known: readonly string[]): ListQuery | string {
  const states = new Set<StackState>();
  const single = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(query)) {
    if (!known.includes(name))
      return `Unknown query parameter: this path takes ${known.length === 0 ? "none" : known.join(", ")}.`;
    if (value === "") continue;
    if (name === "state") {
      const words = value.split(",");
      if (!words.every(isState)) return `An unknown state: state takes ${stackStates.join(", ")}.`;
      for (const state of words) states.add(state);
    } else if (single.has(name)) return "A query parameter is given twice: only state can be repeated.";
    else single.set(name, value);
  }
  const limit = single.get("limit") ?? null;
  if (limit !== null && (!/^[1-9]\d{0,5}$/.test(limit) || Number(limit) > mostListed))
    return `limit takes a whole number from 1 to ${mostListed}.`;
  const [after = null, search = null] = [single.get("after"), single.get("q")];
  return { states, limit: limit === null ? null : Number(limit), after, search };
}

interface StackPage {
  readonly stacks: readonly StackView[];
  readonly next: string | null;
}

export function pickStacks(
  view: ServeView,
  { after, limit, search, states }: ListQuery,
  now: number,
): StackPage | null {
  const wanted = search?.trim().toLowerCase() ?? "";
  const found = view.stacks().flatMap((stack) => {
    const { record } = stack;
    const state = stateAt(stack, now);
    const isWanted = (states.size === 0 || states.has(state)) && (wanted === "" || isAbout(record, wanted));
    return isWanted ? [{ ...standingOf(state, record.status.impact, record.name), state, stack }] : [];
  });
  const from = after === null ? null : (standingNamed(after) ?? standingOfStack(view.stack(after), now));
  if (after !== null && from === null) return null;
  const left = found.filter((one) => from === null || byStanding(one, from) > 0).toSorted(byStanding);
  const page = limit === null ? left : left.slice(0, limit);
  const last = page.length < left.length ? page.at(-1) : undefined;
  // `waiting:routing:prod`. Names hold no colon, so it is never a name.
  const next = last === undefined ? null : `${last.state}:${last.stack.record.status.impact}:${last.name}`;
  return { stacks: page.map(({ stack }) => stack), next };
}

function isAbout({ account, name, source, status }: StackRecord, search: string): boolean {
  if ([name, account, source].some((text) => text.toLowerCase().includes(search))) return true;
  return status.commit?.startsWith(search) === true;
}

function standingNamed(cursor: string): Standing | null {
  const [state = "", impact = "", ...name] = cursor.split(":");
  if (!isState(state) || !isImpact(impact) || name.length === 0) return null;
  return standingOf(state, impact, name.join(":"));
}

function standingOfStack(stack: StackView | null, now: number): Standing | null {
  if (stack === null) return null;
  const { name, status } = stack.record;
  return standingOf(stateAt(stack, now), status.impact, name);
}

function isState(text: string): text is StackState {
  return stackStates.some((state) => state === text);
}

function isImpact(text: string): text is Impact {
  return impacts.some((impact) => impact === text);
}
