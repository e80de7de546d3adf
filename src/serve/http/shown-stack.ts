import { impactRank } from "../../kinds/impact.js";
import {
  type AccountRecord,
  type SourceRecord,
  type StackRecord,
  type StackState,
  type StackStatus,
  type WaitingEffect,
  newStackRecord,
  stackStates,
} from "../records.js";
import type { ServeLoop } from "../serve-loop.js";
import type { ServeState } from "../serve-state.js";
import { shownState, staleIntervals } from "../decide/schedule.js";
import { type Fleet, entryFinder } from "../fleet/fleet.js";
import type { Trouble } from "../serve-events.js";
import { noSuchPlace } from "../store/state-formats.js";
import type { PageQuery } from "../store/store.js";

export type StackView = Readonly<{
  record: StackRecord;
  intervalMs: number;
  approvable?: boolean;
}>;

const orphanIntervalMs = 600_000;

export type ServeView = ReturnType<typeof createLoopView>;

export function createLoopView({ markDue, state }: ServeLoop, troubles: () => readonly Trouble[]) {
  const { store } = state.deps;
  return {
    stacks: () => stacksOf(state),
    stack: (name: string) => stackOf(state, name),
    plan: (stack: string) => store.readPlan(stack),
    history: (stack: string, page: PageQuery) => store.readHistory(stack, page),
    sources: (): readonly SourceRecord[] => [...state.sources.values()].flatMap(({ record }) => record ?? []),
    accounts: (): readonly AccountRecord[] =>
      [...state.fleet.accounts.keys()].flatMap((name) => state.accounts.get(name) ?? []),
    troubles,
    passing: () => state.passing.size,
    heartbeat: () => state.heartbeat,
    unreadiness: async (): Promise<readonly string[]> => {
      state.isReady ||= wasTried(state);
      return [
        ...(!state.isStoreDown && (await store.isUsable()) ? [] : ["The state can't be saved."]),
        // Asking needs no token.
        ...(troubles().some(({ kind }) => kind === "fleet") ? ["The fleet file has errors, which the log names."] : []),
        ...(state.isReady ? [] : ["Not every stack was looked at yet."]),
      ];
    },
    markDue,
  };
}

export function stacksOf(state: ServeState): readonly StackView[] {
  const names = new Set([...state.targets.keys(), ...state.stacks.keys()]);
  return [...names].flatMap((name) => stackOf(state, name) ?? []);
}

function stackOf(state: ServeState, name: string): StackView | null {
  const target = state.targets.get(name);
  const record = state.stacks.get(name);
  if (target === undefined) return record === undefined ? null : recordViews(state.fleet)(record);
  const { approvers, intervalMs } = target.entry.policy;
  return { record: record ?? newStackRecord(target, state.now()), intervalMs, approvable: approvers !== null };
}

export function recordViews(fleet: Fleet): (record: StackRecord) => StackView {
  const find = entryFinder(fleet);
  return (record) => ({
    record,
    intervalMs: find(record.name)?.policy.intervalMs ?? orphanIntervalMs,
    approvable: false,
  });
}

function wasTried({ sources, stacks, targets }: ServeState): boolean {
  if ([...sources.values()].some(({ tried }) => !tried)) return false;
  for (const name of targets.keys()) if (!stacks.has(name)) return false;
  return true;
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

export type ShownStack = ReturnType<typeof showStack>;

/** As schemas/serve-stack.schema.json says. */
export function showStack(view: StackView, now: number) {
  const { intervalMs, record } = view;
  const { status } = record;
  const state = stateAt(view, now);
  const outdatedAt = state === status.state ? null : status.lookedAt;
  const since = outdatedAt === null ? status.since : Math.min(now, outdatedAt + staleIntervals * intervalMs);
  return {
    name: record.name,
    state,
    reason: state === "waiting" ? status.reason : null,
    message:
      outdatedAt === null
        ? status.message
        : `It is not known how the stack is now. The last complete look said: ${status.state}. ${status.message}`,
    since: new Date(since).toISOString(),
    commit: status.commit,
    appliedCommit: status.appliedCommit,
    ageSeconds: ageSeconds(status.lookedAt, now),
    impact: status.impact,
    changes: status.changes,
    digest: status.digest,
    nextLook: new Date(status.nextLook).toISOString(),
    uncomparedSecrets: status.uncomparedSecrets,
    intervalSeconds: intervalMs / 1000,
    account: record.account,
    source: record.source,
  };
}

export function waitingChanges({ changes }: Pick<StackStatus, "changes">): number {
  return changes.commit + changes.drift + changes.both;
}

/** A clock that was set back makes nothing younger than new. */
export function ageSeconds(time: number | null, now: number): number | null {
  return time === null ? null : Math.round(Math.max(0, now - time)) / 1000;
}

export function showStacks(views: readonly StackView[], now: number): readonly ShownStack[] {
  return worstStacksFirst(views, now).map(({ view }) => showStack(view, now));
}

function worstStacksFirst(views: readonly StackView[], now: number) {
  const ordered = views.map((view) => ({ view, order: orderOf(view, now) }));
  return ordered.toSorted((a, b) => (a.order < b.order ? -1 : 1));
}

/** `48:prod`: the lower state and impact, the worse. */
function orderOf(view: StackView, now: number): string {
  const { name, status } = view.record;
  return `${stackStates.indexOf(stateAt(view, now))}${9 - impactRank(status.impact)}:${name}`;
}

export type ListQuery = Exclude<ReturnType<typeof readQuery>, string>;

const mostListed = 100_000;

export function readQuery(query: string, known: readonly string[]) {
  const params = new URLSearchParams(query);
  if (![...params.keys()].every((name) => known.includes(name)))
    return `Unknown query parameter: this path takes ${known.join(", ") || "none"}.`;
  if (["limit", "after", "q"].some((name) => params.getAll(name).length > 1))
    return "A query parameter is given twice: only state can be repeated.";
  const states = params.getAll("state").flatMap((value) => (value === "" ? [] : value.split(",")));
  if (!states.every(isState)) return `An unknown state: state takes ${stackStates.join(", ")}.`;
  const [limit, after, search] = ["limit", "after", "q"].map((name) => params.get(name) || null);
  if (limit && (!/^[1-9]\d{0,5}$/.test(limit) || Number(limit) > mostListed))
    return `limit takes a whole number from 1 to ${mostListed}.`;
  return { states: new Set(states), limit: limit ? Number(limit) : null, after: after ?? null, search: search ?? null };
}

function isState(text: string): text is StackState {
  return stackStates.some((state) => state === text);
}

/** `after` is what `next` said, or the name of a stack, which holds no colon. */
export function pickStacks(view: ServeView, { after, limit, search, states }: ListQuery, now: number) {
  const last = after === null || /^\d\d:/.test(after) ? null : view.stack(after);
  const from = last === null ? after : orderOf(last, now);
  if (from !== null && !/^\d\d:/.test(from)) throw noSuchPlace();
  const wanted = search?.trim().toLowerCase() ?? "";
  const found = view.stacks().filter((stack) => {
    const { account, name, source, status } = stack.record;
    if (states.size > 0 && !states.has(stateAt(stack, now))) return false;
    return (
      [name, account, source].some((text) => text.toLowerCase().includes(wanted)) || status.commit?.startsWith(wanted)
    );
  });
  const left = worstStacksFirst(found, now).filter(({ order }) => from === null || order > from);
  const page = left.slice(0, limit ?? left.length);
  const next = page.length < left.length ? (page.at(-1)?.order ?? null) : null;
  return { stacks: page.map(({ view: stack }) => showStack(stack, now)), next };
}
