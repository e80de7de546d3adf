import type { AccountRecord, HistoryEntry, SourceRecord, StackRecord } from "./records.js";
import { dueAt } from "./decisions/schedule.js";
import type { Fleet, FleetSource, StackTarget } from "./fleet/fleet.js";
import type { ServeDeps, StackClaims } from "./serve-deps.js";
import type { SourceCommit } from "./sources/source-reader.js";
import type { StoredState } from "./store/store.js";

/** What the loop knows. Everything in it can be recomputed from the fleet file, the store, Git and live. */
export interface ServeState {
  fleet: Fleet;
  readonly stacks: Map<string, StackRecord>;
  readonly accounts: Map<string, AccountRecord>;
  readonly sources: Map<string, FollowedSource>;
  /** By name: what the entries stand for at the commits that are followed. */
  targets: ReadonlyMap<string, StackTarget>;
  /** By stack: why it can't be looked at, such as two stacks with one marker. */
  refusals: ReadonlyMap<string, string>;
  /** Stacks that are due whatever their record says: their commit or their entry changed. */
  readonly hastened: Set<string>;
  /** What could not be saved: stacks, accounts, sources, history. */
  readonly unsaved: Set<string>;
  readonly unsavedHistory: HistoryEntry[];
  /** Resolves when the history of every record that is shown was saved, or could not be. Never rejects. */
  historySaved: Promise<void>;
  /** Stacks whose last look is newer than what is saved, and else as that. */
  readonly renewed: Set<string>;
  /** By stack: the look that its saved record has, in milliseconds since 1970. */
  readonly savedLooks: Map<string, number>;
  /** By account: ends its pass softly. */
  readonly passing: Map<string, AbortController>;
  /** By account: until when nothing is written, because a pass was cut off while it wrote. */
  readonly quiet: Map<string, number>;
  /** When the loop last turned. */
  heartbeat: number;
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
export function stateOf(fleet: Fleet, stored: StoredState, now: number): ServeState {
  return {
    fleet,
    stacks: new Map(stored.stacks),
    accounts: new Map(stored.accounts),
    sources: new Map(
      [...fleet.sources.keys()].map((name) => [name, newSource(stored.sources.get(name) ?? null, now)] as const),
    ),
    targets: new Map(),
    refusals: new Map(),
    hastened: new Set(),
    unsaved: new Set(),
    unsavedHistory: [],
    historySaved: Promise.resolve(),
    renewed: new Set(),
    savedLooks: new Map([...stored.stacks].map(([name, { status }]) => [name, status.lookedAt ?? 0])),
    passing: new Map(),
    quiet: new Map([...stored.stacks.values()].filter(wasCutOff).map(({ account }) => [account, now + cutOffMs])),
    heartbeat: now,
  };
}

/** So long what a process sent before it was killed may still arrive: the timeout of a request, and ten seconds more. */
const cutOffMs = 40_000;

function wasCutOff({ memory }: StackRecord): boolean {
  return (memory.writing ?? null) !== null;
}

/** Until when nothing is written to an account; 0 = that is not so. A clock that was set back makes it no longer. */
export function quietUntil({ quiet }: ServeState, account: string, now: number): number {
  // A damaged record doesn't say whose it was.
  return Math.min(Math.max(quiet.get(account) ?? 0, quiet.get("") ?? 0), now + cutOffMs);
}

/**
 * What the store has kept of a fleet. What of it is damaged is told.
 * @throws EdgewiseError `io` when the store can't be read
 */
export async function loadServeState(
  fleet: Fleet,
  { clock, emit, mask, store }: Pick<ServeDeps, "clock" | "emit" | "mask" | "store">,
): Promise<ServeState> {
  const stored = await store.load();
  for (const warning of stored.warnings) emit({ event: "state-damaged", message: mask(warning) });
  return stateOf(fleet, stored, clock.now());
}

/** A source that is to be fetched at once. */
export function newSource(record: SourceRecord | null, now: number): FollowedSource {
  return { record, commit: null, expansion: null, nextFetch: now, tried: false, fetching: false };
}

/** When a source is due. A time that is further away than a poll can be was noted before the clock was set back: due. */
export function fetchDueAt({ nextFetch }: FollowedSource, { pollMs }: FleetSource, now: number): number {
  return nextFetch > now + 1.1 * pollMs + 1 ? now : nextFetch;
}

/** When a stack is due, by its record and by what hastened it. */
export function stackDueAt({ hastened, stacks }: ServeState, { entry, name }: StackTarget, now: number): number {
  const { intervalMs } = entry.policy;
  return dueAt({ intervalMs, record: stacks.get(name) ?? null, hastenedAt: hastened.has(name) ? 0 : null }, now);
}

/** Whether a stack can be looked at: nothing refuses it, and a fetch of its source was tried. */
export function canLook(state: ServeState, target: StackTarget): boolean {
  if (!state.fleet.accounts.has(target.entry.account)) return false;
  return state.sources.get(target.entry.source)?.tried === true && !state.refusals.has(target.name);
}
