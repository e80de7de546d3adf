import type { AccountRecord, HistoryEntry, SourceRecord, StackRecord } from "./records.js";
import { dueAt } from "./decide/schedule.js";
import type { Fleet, FleetAccount, FleetSource, StackTarget } from "./fleet/fleet.js";
import type { SourceCommit } from "./git/source-reader.js";
import type { OutboxEntry } from "./notify/notification.js";
import type { ServeDeps } from "./serve-deps.js";
import { recordKey } from "./store/state-formats.js";
import type { StoredState } from "./store/store.js";

export interface StackClaims {
  readonly marker: string | null;
  readonly previousStacks: readonly string[];
}

export interface ServeState {
  fleet: Fleet;
  readonly stacks: Map<string, StackRecord>;
  readonly accounts: Map<string, AccountRecord>;
  readonly sources: Map<string, FollowedSource>;
  readonly keptSources: Map<string, SourceRecord>;
  readonly damaged: StoredState["damaged"];
  knownDamage: StoredState["damaged"];
  targets: ReadonlyMap<string, StackTarget>;
  byAccount: ReadonlyMap<string, readonly StackTarget[]>;
  refusals: ReadonlyMap<string, string>;
  /** Due whatever their record says: since when. */
  readonly marked: Map<string, number>;
  readonly dueTimes: Map<string, number>;
  storeFailed: boolean;
  unsaved: {
    readonly stacks: Set<string>;
    readonly accounts: Set<string>;
    history: readonly HistoryEntry[];
    outbox: readonly OutboxEntry[];
  };
  readonly passing: Map<string, AbortController>;
  readonly denied: Map<string, number>;
  heartbeat: number;
}

export interface FollowedSource {
  record: SourceRecord | null;
  commit: SourceCommit | null;
  expansion: SourceExpansion | null;
  nextFetch: number;
  tried: boolean;
  fetching: boolean;
  /** Since when another process follows it to a commit that is not here. */
  behindSince: number | null;
  approvalTags?: ReadonlyMap<string, string>;
}

export interface SourceExpansion {
  readonly commit: string;
  readonly stacks: ReadonlyMap<string, ExpandedStack>;
  readonly problems: ReadonlyMap<string, string>;
}

interface ExpandedStack {
  readonly target: StackTarget;
  readonly content: string | null;
  readonly claims: StackClaims;
}

export async function loadServeState(
  fleet: Fleet,
  { clock, store }: Pick<ServeDeps, "clock" | "store">,
): Promise<ServeState> {
  const stored = await store.load();
  const now = clock.now();
  return {
    fleet,
    stacks: new Map(stored.stacks),
    accounts: new Map(stored.accounts),
    sources: new Map(
      Array.from(fleet.sources.keys(), (name) => [name, newSource(stored.sources.get(name) ?? null, now)] as const),
    ),
    keptSources: new Map(stored.sources),
    damaged: stored.damaged,
    knownDamage: new Map(),
    targets: new Map(),
    byAccount: new Map(),
    refusals: new Map(),
    marked: new Map(),
    dueTimes: new Map(),
    storeFailed: false,
    unsaved: { stacks: new Set(), accounts: new Set(), history: [], outbox: [] },
    passing: new Map(),
    denied: new Map(),
    heartbeat: now,
  };
}

export function damageOf(
  { damaged }: ServeState,
  { account, name, source }: Pick<StackRecord, "account" | "name" | "source">,
): string | null {
  if (damaged.size === 0) return null;
  const keys = [recordKey("stack", name), recordKey("account", account), recordKey("source", source)];
  return keys.map((key) => damaged.get(key)).find((why) => why !== undefined) ?? null;
}

export function newSource(record: SourceRecord | null, now: number): FollowedSource {
  return { record, commit: null, expansion: null, behindSince: null, nextFetch: now, tried: false, fetching: false };
}

/** A time further away than a poll is from before the clock was set back: due now. */
export function fetchDueAt({ nextFetch }: FollowedSource, { pollMs }: FleetSource, now: number): number {
  return nextFetch > now + 1.1 * pollMs + 1 ? now : nextFetch;
}

function stackDueAt({ marked, sources, stacks }: ServeState, { entry, name }: StackTarget, now: number): number {
  const { intervalMs } = entry.policy;
  const at = marked.has(name) ? 0 : dueAt(stacks.get(name) ?? null, intervalMs, now);
  const behindSince = sources.get(entry.source)?.behindSince ?? null;
  return behindSince === null ? at : Math.max(at, behindSince + intervalMs);
}

export function setTargets(state: ServeState, targets: ReadonlyMap<string, StackTarget>): void {
  const byAccount = new Map<string, StackTarget[]>();
  for (const target of targets.values()) {
    const own = byAccount.get(target.entry.account) ?? [];
    own.push(target);
    byAccount.set(target.entry.account, own);
  }
  state.targets = targets;
  state.byAccount = byAccount;
  state.dueTimes.clear();
}

export function setStack(state: ServeState, record: StackRecord): void {
  state.stacks.set(record.name, record);
  findDueAgain(state, record.name);
}

export function markDue(state: ServeState, stack: string, now: number): void {
  state.marked.set(stack, now);
  findDueAgain(state, stack);
}

export function clearDue(state: ServeState, stack: string): void {
  state.marked.delete(stack);
  findDueAgain(state, stack);
}

function findDueAgain({ dueTimes, targets }: ServeState, stack: string): void {
  const account = targets.get(stack)?.entry.account;
  if (account !== undefined) dueTimes.delete(account);
}

/** What another process follows it to is fetched at once. */
export function noteKept(state: ServeState, kept: SourceRecord, now: number): void {
  const { name, followed: wanted } = kept;
  const isNew = wanted !== (state.keptSources.get(name)?.followed ?? null);
  state.keptSources.set(name, kept);
  const source = state.sources.get(name);
  if (source === undefined) return;
  const isBehind = wanted !== null && source.expansion?.commit !== wanted;
  if (isBehind !== (source.behindSince !== null)) state.dueTimes.clear();
  if (isBehind && isNew) source.nextFetch = now;
  source.behindSince = isBehind ? (source.behindSince ?? now) : null;
}

export function canLook(state: ServeState, { entry: { account, source }, name }: StackTarget): boolean {
  if (!state.fleet.accounts.has(account) || damageOf(state, { account, name, source }) !== null) return false;
  return state.sources.get(source)?.tried === true && !state.refusals.has(name);
}

export interface DueAccount {
  readonly account: FleetAccount;
  readonly targets: readonly StackTarget[];
}

export function dueAccounts(state: ServeState, now: number, most: number): readonly DueAccount[] {
  const due = [...state.byAccount.keys()]
    .map((name) => ({ name, at: accountDueAt(state, name, now) }))
    .filter(({ at, name }) => at <= now && !state.passing.has(name));
  const oldest = due.toSorted((one, other) => one.at - other.at).slice(0, Math.max(0, most));
  return oldest.flatMap(({ name }) => {
    const account = state.fleet.accounts.get(name);
    const targets = dueIn(state, name, now);
    if (targets.length === 0) state.dueTimes.delete(name);
    return account === undefined || targets.length === 0 ? [] : [{ account, targets }];
  });
}

export function nextDueAt(state: ServeState, now: number): number {
  const free = [...state.byAccount.keys()].filter((name) => !state.passing.has(name));
  return free.reduce((next, name) => Math.min(next, accountDueAt(state, name, now)), Infinity);
}

export function dueIn(state: ServeState, account: string, now: number): readonly StackTarget[] {
  const soon = (state.byAccount.get(account) ?? []).filter(
    (target) => canLook(state, target) && stackDueAt(state, target, now) <= now + target.entry.policy.intervalMs / 10,
  );
  return soon.some((target) => stackDueAt(state, target, now) <= now) ? soon : [];
}

function accountDueAt(state: ServeState, account: string, now: number): number {
  let first = state.dueTimes.get(account);
  if (first === undefined) {
    first = Infinity;
    for (const target of state.byAccount.get(account) ?? [])
      if (canLook(state, target)) first = Math.min(first, stackDueAt(state, target, now));
    state.dueTimes.set(account, first);
  }
  return Math.max(first, state.denied.get(account) ?? 0);
}
