import type { AccountRecord, HistoryEntry, SourceRecord, StackRecord } from "./records.js";
import { dueAt } from "./decide/schedule.js";
import type { Fleet, FleetSource, StackTarget } from "./fleet/fleet.js";
import type { SourceCommit } from "./git/source-reader.js";
import type { OutboxEntry } from "./notify/notification.js";
import type { ServeDeps } from "./serve-deps.js";
import { recordKey } from "./store/state-formats.js";
import type { StoredState } from "./store/store.js";

/** What the loop knows. Everything in it can be recomputed from the fleet file, the store, Git and live. */
/** What of its account a target claims beside what the fleet file says. */
export interface StackClaims {
  /** Null = its pass will tell what is wrong. */
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
  /** By stack: why it can't be looked at, such as two stacks with one marker. */
  refusals: ReadonlyMap<string, string>;
  /** Stacks that are due whatever their record says, as their commit or their entry changed: since when. */
  readonly marked: Map<string, number>;
  /** By account: when its first stack is due. Missing = to be found. */
  readonly dueTimes: Map<string, number>;
  storeFailed: boolean;
  readonly unsaved: {
    readonly stacks: Set<string>;
    readonly accounts: Set<string>;
    history: readonly HistoryEntry[];
    outbox: readonly OutboxEntry[];
  };
  readonly passing: Map<string, AbortController>;
  /** By account that another process holds: before when it is not claimed again. */
  readonly denied: Map<string, number>;
  heartbeat: number;
}

export interface FollowedSource {
  record: SourceRecord | null;
  commit: SourceCommit | null;
  expansion: SourceExpansion | null;
  nextFetch: number;
  /** Whether a fetch was tried since it is in the fleet file as it is: its stacks are not looked at before. */
  tried: boolean;
  fetching: boolean;
  /** Since when another process follows it to a commit that is not open here; null = that is not so. */
  behindSince: number | null;
  /** By stack: the tags that were there for what waits in it, when they were last listed. */
  approvalTags?: ReadonlyMap<string, string>;
}

export interface SourceExpansion {
  readonly commit: string;
  readonly stacks: ReadonlyMap<string, ExpandedStack>;
  /** By stack: why it can't be looked at. */
  readonly problems: ReadonlyMap<string, string>;
}

export interface ExpandedStack {
  readonly target: StackTarget;
  /** Names the content of its configuration's directory; null = one id can't name it. */
  readonly content: string | null;
  readonly claims: StackClaims;
}

/** @throws EdgewiseError `io` when the store can't be read */
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

/** Why a stack is left alone: its record, its account's or its source's can't be read. Null = they can. */
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

/** When a source is due. A time further away than a poll was noted before the clock was set back: due now. */
export function fetchDueAt({ nextFetch }: FollowedSource, { pollMs }: FleetSource, now: number): number {
  return nextFetch > now + 1.1 * pollMs + 1 ? now : nextFetch;
}

/** When a stack is due. */
export function stackDueAt({ marked, sources, stacks }: ServeState, { entry, name }: StackTarget, now: number): number {
  const { intervalMs } = entry.policy;
  const record = stacks.get(name) ?? null;
  const at = dueAt({ intervalMs, record, hastenedAt: marked.has(name) ? 0 : null }, now);
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

/** Takes note of what the store has of a source. What another process follows it to is fetched at once. */
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
