import type { AccountRecord, HistoryEntry, SourceRecord, StackRecord } from "./records.js";
import { dueAt } from "./decide/schedule.js";
import type { Fleet, FleetSource, StackTarget } from "./fleet/fleet.js";
import type { ServeDeps, StackClaims } from "./serve-deps.js";
import type { SourceCommit } from "./git/source-reader.js";
import { recordKey } from "./store/state-file-name.js";
import type { StoredState } from "./store/store.js";

/** What the loop knows. Everything in it can be recomputed from the fleet file, the store, Git and live. */
export interface ServeState {
  fleet: Fleet;
  readonly stacks: Map<string, StackRecord>;
  readonly accounts: Map<string, AccountRecord>;
  readonly sources: Map<string, FollowedSource>;
  /** Of the store: what can't be read, and why. */
  readonly damaged: StoredState["damaged"];
  /** The same, when the targets were last settled. */
  settledDamage: StoredState["damaged"];
  /** By name: what the entries stand for at the commits that are followed. */
  targets: ReadonlyMap<string, StackTarget>;
  /** The same, by account. */
  byAccount: ReadonlyMap<string, readonly StackTarget[]>;
  /** Stacks that were targets since this process began. */
  readonly described: Set<string>;
  /** By account: when its first stack is due. Missing = to be found. */
  readonly dueTimes: Map<string, number>;
  /** By stack: why it can't be looked at, such as two stacks with one marker. */
  refusals: ReadonlyMap<string, string>;
  /** Stacks that are due whatever their record says, as their commit or their entry changed: since when. */
  readonly hastened: Map<string, number>;
  /** Whether the store failed, and has not worked since. */
  storeFailed: boolean;
  /** Why other processes' changes could not be read when they were last asked for; null = they could. */
  unread: string | null;
  /** What could not be saved: stacks, accounts, sources, history. */
  readonly unsaved: Set<string>;
  readonly unsavedHistory: HistoryEntry[];
  /** Resolves when the history of every record that is shown was saved, or could not be. Never rejects. */
  historySaved: Promise<void>;
  /** Stacks whose last look is newer than what is saved, and else as that. */
  readonly renewed: Set<string>;
  /** By stack: the look that its saved record has, in milliseconds since 1970. */
  readonly savedLooks: Map<string, number>;
  /** By account that is passed, or claimed to be passed: ends that softly. */
  readonly passing: Map<string, AbortController>;
  /** Accounts that another process passed last: they are left to it for a moment when they are due. */
  readonly others: Set<string>;
  /** By account that another process holds: before when it is not claimed again. */
  readonly denied: Map<string, number>;
  /**
   * What another process saved of stacks and accounts while this one passed them, or asked to: it counts when that is over,
   * unless this process knows something newer by then.
   */
  readonly deferred: {
    readonly stacks: Map<string, Deferred<StackRecord>>;
    readonly accounts: Map<string, Deferred<AccountRecord>>;
  };
  /** Accounts whose holder died, as far as that was acted on. */
  readonly abandoned: Set<string>;
  /** By account: until when nothing is written, because a pass was cut off while it wrote. */
  readonly quiet: Map<string, number>;
  /** When the loop last turned. */
  heartbeat: number;
}

/** A record of another process, and what this one knew when it came; undefined = nothing. */
export interface Deferred<T> {
  readonly record: T;
  readonly over: T | undefined;
}

/** A source, and what is known of the commit that is followed. */
export interface FollowedSource {
  record: SourceRecord | null;
  /** The followed commit; null = none yet, or it can't be read. */
  commit: SourceCommit | null;
  /** What its entries stand for at that commit; null = nobody knows yet. */
  expansion: SourceExpansion | null;
  /** When it is due to be fetched. */
  nextFetch: number;
  /** Whether a fetch was tried since it is in the fleet file as it is: its stacks are not looked at before. */
  tried: boolean;
  fetching: boolean;
  /** What the store had of it when that was last heard of; null = nothing, or no other process has the store. */
  kept: SourceRecord | null;
  /** Since when another process follows it to a commit that is not open here; null = that is not so. */
  behindSince: number | null;
  /** By stack: the tags that were there for what waits in it, when they were last listed. */
  approvalTags?: ReadonlyMap<string, string>;
}

/** What the entries of a source stand for at one commit. */
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

/** The state when the loop starts: what was stored, and a fetch due for every source. */
export function stateOf(fleet: Fleet, stored: StoredState, now: number, shared = false): ServeState {
  // Another process that is writing now has its claim.
  const cutOff = shared ? [] : [...stored.stacks.values()].filter(({ memory }) => (memory.writing ?? null) !== null);
  return {
    fleet,
    stacks: new Map(stored.stacks),
    accounts: new Map(stored.accounts),
    sources: new Map(
      [...fleet.sources.keys()].map((name) => [name, newSource(stored.sources.get(name) ?? null, now)] as const),
    ),
    damaged: stored.damaged,
    settledDamage: new Map(),
    targets: new Map(),
    described: new Set(),
    byAccount: new Map(),
    dueTimes: new Map(),
    refusals: new Map(),
    hastened: new Map(),
    storeFailed: false,
    unread: null,
    unsaved: new Set(),
    unsavedHistory: [],
    historySaved: Promise.resolve(),
    renewed: new Set(),
    savedLooks: new Map([...stored.stacks].map(([name, { status }]) => [name, status.lookedAt ?? 0])),
    passing: new Map(),
    others: new Set(),
    denied: new Map(),
    deferred: { stacks: new Map(), accounts: new Map() },
    abandoned: new Set(),
    quiet: new Map(cutOff.map(({ account }) => [account, now + cutOffMs])),
    heartbeat: now,
  };
}

/** So long what a process sent before it was killed may still arrive: the timeout of a request, and ten seconds more. */
export const cutOffMs = 40_000;

/** Until when nothing is written to an account; 0 = that is not so. A clock that was set back makes it no longer. */
export function quietUntil({ quiet }: ServeState, account: string, now: number): number {
  return Math.min(quiet.get(account) ?? 0, now + cutOffMs);
}

/** What the store has kept of a fleet. @throws EdgewiseError `io` when the store can't be read */
export async function loadServeState(
  fleet: Fleet,
  { clock, store }: Pick<ServeDeps, "clock" | "store">,
): Promise<ServeState> {
  return stateOf(fleet, await store.load(), clock.now(), store.shared);
}

/** Why nothing may be done about a stack: what is kept of it, of its account or of its source can't be read; null = it can. */
export function damageOf(
  { damaged }: ServeState,
  { account, name, source }: Pick<StackRecord, "account" | "name" | "source">,
): string | null {
  if (damaged.size === 0) return null;
  const keys = [recordKey("stack", name), recordKey("account", account), recordKey("source", source)];
  return keys.map((key) => damaged.get(key)).find((why) => why !== undefined) ?? null;
}

/** A source that is to be fetched at once. */
export function newSource(record: SourceRecord | null, now: number): FollowedSource {
  const unread = { commit: null, expansion: null, kept: null, behindSince: null };
  return { record, ...unread, nextFetch: now, tried: false, fetching: false };
}

/** When a source is due. A time that is further away than a poll can be was noted before the clock was set back: due. */
export function fetchDueAt({ nextFetch }: FollowedSource, { pollMs }: FleetSource, now: number): number {
  return nextFetch > now + 1.1 * pollMs + 1 ? now : nextFetch;
}

/**
 * When a stack is due, by its record and by what hastened it. While another process follows its source to a commit that
 * is not open here, it is left to that one for an interval.
 */
export function stackDueAt(
  { hastened, sources, stacks }: ServeState,
  { entry, name }: StackTarget,
  now: number,
): number {
  const { intervalMs } = entry.policy;
  const record = stacks.get(name) ?? null;
  const at = dueAt({ intervalMs, record, hastenedAt: hastened.has(name) ? 0 : null }, now);
  const behindSince = sources.get(entry.source)?.behindSince ?? null;
  return behindSince === null ? at : Math.max(at, behindSince + intervalMs);
}

/** From now on these are the targets. */
export function setTargets(state: ServeState, targets: ReadonlyMap<string, StackTarget>): void {
  const byAccount = new Map<string, StackTarget[]>();
  for (const target of targets.values()) {
    const own = byAccount.get(target.entry.account) ?? [];
    own.push(target);
    byAccount.set(target.entry.account, own);
  }
  for (const name of targets.keys()) state.described.add(name);
  state.targets = targets;
  state.byAccount = byAccount;
  state.dueTimes.clear();
}

/** From now on this is what is known of a stack. */
export function setStack(state: ServeState, record: StackRecord): void {
  state.stacks.set(record.name, record);
  findDueAgain(state, record.name);
}

/** A stack is due at once: something happened that makes it worth a look. */
export function hasten(state: ServeState, stack: string, now: number): void {
  state.hastened.set(stack, now);
  findDueAgain(state, stack);
}

/** What a stack was hastened for has been done. */
export function unhasten(state: ServeState, stack: string): void {
  state.hastened.delete(stack);
  findDueAgain(state, stack);
}

function findDueAgain({ dueTimes, targets }: ServeState, stack: string): void {
  const account = targets.get(stack)?.entry.account;
  if (account !== undefined) dueTimes.delete(account);
}

/** Takes note of what the store has of a source. What another process follows it to is fetched at once. */
export function noteKept(
  { dueTimes }: ServeState,
  followed: FollowedSource,
  kept: SourceRecord | null,
  now: number,
): void {
  const wanted = kept?.followed ?? null;
  const isNew = wanted !== (followed.kept?.followed ?? null);
  followed.kept = kept;
  const isBehind = wanted !== null && followed.expansion?.commit !== wanted;
  if (isBehind !== (followed.behindSince !== null)) dueTimes.clear();
  if (!isBehind) {
    followed.behindSince = null;
    return;
  }
  if (isNew) followed.nextFetch = now;
  followed.behindSince ??= now;
}

/** Whether a stack can be looked at: nothing refuses it, and a fetch of its source was tried. */
export function canLook(state: ServeState, { entry: { account, source }, name }: StackTarget): boolean {
  if (!state.fleet.accounts.has(account) || damageOf(state, { account, name, source }) !== null) return false;
  return state.sources.get(source)?.tried === true && !state.refusals.has(name);
}
