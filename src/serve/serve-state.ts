import { dueAt } from "./decide/schedule.js";
import type { StackClaim } from "./fleet/expand-entries.js";
import type { Fleet, FleetAccount, FleetSource, StackTarget } from "./fleet/fleet.js";
import type { SourceCommit } from "./git/source-reader.js";
import type { OutboxEntry } from "./notify/notification.js";
import type { HistoryEntry, SourceRecord, StackRecord } from "./records.js";
import type { ServeDeps } from "./serve-deps.js";
import { recordKey } from "./store/state-formats.js";
import type { StoredState } from "./store/store.js";

export type StackClaims = Pick<StackClaim, "marker" | "previousStacks">;

export interface FollowedSource {
  record: SourceRecord | null;
  commit: SourceCommit | null;
  expansion: SourceExpansion | null;
  nextFetch: number;
  fetchBegan: number;
  tried: boolean;
  fetching: boolean;
  /** Since when another process follows it to a commit that is not here. */
  behindSince: number | null;
  approvalTags?: ReadonlyMap<string, string>;
}

export type SourceExpansion = Readonly<{
  commit: string;
  stacks: ReadonlyMap<string, Readonly<{ target: StackTarget; content: string | null; claims: StackClaims }>>;
  problems: ReadonlyMap<string, string>;
}>;

export async function loadServeState(fleet: Fleet, deps: ServeDeps): Promise<ServeState> {
  return new ServeState(fleet, deps, await deps.store.load());
}

export class ServeState {
  readonly stacks;
  readonly accounts;
  readonly sources;
  readonly keptSources;
  readonly damaged;
  knownDamage: StoredState["damaged"] = new Map();
  targets: ReadonlyMap<string, StackTarget> = new Map();
  byAccount: ReadonlyMap<string, readonly StackTarget[]> = new Map();
  refusals: ReadonlyMap<string, string> = new Map();
  /** Due whatever their record says: since when. */
  readonly marked = new Map<string, number>();
  isStoreDown = false;
  isReady = false;
  unsaved = {
    stacks: new Set<string>(),
    accounts: new Set<string>(),
    history: [] as readonly HistoryEntry[],
    outbox: [] as readonly OutboxEntry[],
  };
  readonly passing = new Map<string, AbortController>();
  /** Accounts that another process holds. */
  readonly denied = new Map<string, number>();
  heartbeat: number;

  constructor(
    public fleet: Fleet,
    readonly deps: ServeDeps,
    { accounts, damaged, sources, stacks }: StoredState,
  ) {
    this.heartbeat = this.now();
    this.stacks = new Map(stacks);
    this.accounts = new Map(accounts);
    this.keptSources = new Map(sources);
    this.damaged = damaged;
    this.sources = new Map<string, FollowedSource>();
    for (const name of fleet.sources.keys()) this.startSource(name, sources.get(name) ?? null);
  }

  now(): number {
    return this.deps.clock.now();
  }

  startSource(name: string, record: SourceRecord | null): void {
    const nothing = { commit: null, expansion: null, behindSince: null, fetchBegan: 0 };
    this.sources.set(name, { ...nothing, record, nextFetch: this.now(), tried: false, fetching: false });
  }

  storeFailed(error: unknown): void {
    if (this.isStoreDown) return;
    this.isStoreDown = true;
    const { emit, mask } = this.deps;
    emit({ event: "store-failed", message: mask(error instanceof Error ? error.message : String(error)) });
  }

  storeWorks(): void {
    if (this.isStoreDown) this.deps.emit({ event: "store-recovered" });
    this.isStoreDown = false;
  }

  damageOf({ account, name, source }: Pick<StackRecord, "account" | "name" | "source">): string | null {
    if (this.damaged.size === 0) return null;
    const keys = [recordKey("stack", name), recordKey("account", account), recordKey("source", source)];
    return keys.map((key) => this.damaged.get(key)).find((why) => why !== undefined) ?? null;
  }

  setTargets(targets: ReadonlyMap<string, StackTarget>): void {
    const byAccount = new Map<string, StackTarget[]>();
    for (const target of targets.values()) {
      const own = byAccount.get(target.entry.account) ?? [];
      own.push(target);
      byAccount.set(target.entry.account, own);
    }
    this.targets = targets;
    this.byAccount = byAccount;
  }

  setStack(record: StackRecord): void {
    this.stacks.set(record.name, record);
  }

  markDue(stack: string): void {
    this.marked.set(stack, this.now());
  }

  /** What another process follows it to is fetched at once. */
  noteKept(kept: SourceRecord): void {
    const { name, followed: wanted } = kept;
    const now = this.now();
    const isNew = wanted !== (this.keptSources.get(name)?.followed ?? null);
    this.keptSources.set(name, kept);
    const source = this.sources.get(name);
    if (source === undefined) return;
    const isBehind = wanted !== null && source.expansion?.commit !== wanted;
    if (isBehind && isNew) source.nextFetch = now;
    source.behindSince = isBehind ? (source.behindSince ?? now) : null;
  }

  canLook({ entry: { account, source }, name }: StackTarget): boolean {
    if (!this.fleet.accounts.has(account) || this.damageOf({ account, name, source }) !== null) return false;
    return this.sources.get(source)?.tried === true && !this.refusals.has(name);
  }

  /** A time further away than a poll is due: the clock was set back. */
  fetchTimes(now: number): readonly Readonly<{ source: FleetSource; at: number }>[] {
    const times = [...this.fleet.sources.values()].flatMap((source) => {
      const { fetching = true, nextFetch = 0 } = this.sources.get(source.name) ?? {};
      return fetching ? [] : [{ source, at: nextFetch > now + 1.1 * source.pollMs + 1 ? now : nextFetch }];
    });
    return times.toSorted((one, other) => one.at - other.at);
  }

  /** When the first stack of each account is due that is not passed now. */
  passTimes(now: number): readonly { readonly account: FleetAccount; readonly at: number }[] {
    const times = [...this.fleet.accounts.values()].flatMap((account) => {
      const { name } = account;
      if (this.passing.has(name)) return [];
      const first = this.targetsOf(name).reduce((at, target) => Math.min(at, this.#stackDueAt(target, now)), Infinity);
      return first === Infinity ? [] : [{ account, at: Math.max(first, this.denied.get(name) ?? 0) }];
    });
    return times.toSorted((one, other) => one.at - other.at);
  }

  targetsOf(account: string): readonly StackTarget[] {
    return (this.byAccount.get(account) ?? []).filter((target) => this.canLook(target));
  }

  dueIn(account: string, now: number): readonly StackTarget[] {
    const soon = this.targetsOf(account).filter(
      (target) => this.#stackDueAt(target, now) <= now + target.entry.policy.intervalMs / 10,
    );
    return soon.some((target) => this.#stackDueAt(target, now) <= now) ? soon : [];
  }

  #stackDueAt({ entry: { policy, source }, name }: StackTarget, now: number): number {
    const at = this.marked.has(name) ? 0 : dueAt(this.stacks.get(name) ?? null, policy.intervalMs, now);
    const behindSince = this.sources.get(source)?.behindSince ?? null;
    return behindSince === null ? at : Math.max(at, behindSince + policy.intervalMs);
  }
}
