import type { WriteHold } from "../../api/client.js";
import type { Impact } from "../../kinds/impact.js";
import type { Plan } from "../../plan/plan-format.js";
import type { FleetAccount } from "../fleet/fleet.js";
import type { AccountRecord, HistoryEntry, SourceRecord, StackRecord, ToldRecord } from "../records.js";

/** Everything that the loop remembers, when it starts. */
export interface StoredState {
  readonly stacks: ReadonlyMap<string, StackRecord>;
  readonly accounts: ReadonlyMap<string, AccountRecord>;
  readonly sources: ReadonlyMap<string, SourceRecord>;
  /** By `recordKey`: what can't be read, and why. The store adds and removes, as it reads again. Nothing saves over it. */
  readonly damaged: ReadonlyMap<string, string>;
}

/** A page of history, newest first. */
export interface HistoryPage {
  readonly entries: readonly HistoryEntry[];
  /** Give it as `after` for the next page; null = there is none. */
  readonly next: string | null;
}

/** An account that has due stacks. */
export interface WantedAccount {
  readonly account: FleetAccount;
  /** The stacks of the fleet that are in it, due or not. */
  readonly stacks: readonly string[];
}

/**
 * The right to pass an account, and to write to it: one process at a time has it, until it gives it back, or dies. Two
 * names for one account (one address, one key) are one account.
 */
export interface AccountClaim extends WriteHold {
  /** The account's name in the fleet file. */
  readonly account: string;
  /**
   * Until when nothing may be written, in milliseconds since 1970: whoever had it before did not give it back, and a request
   * of it may still be on its way. 0 = that is not so.
   */
  readonly quietUntil: number;
  /** How many requests other processes sent to the account within the last minute. */
  readonly sentByOthers: number;
  /** What is kept at this moment, which others may have written; null = nobody else can have. */
  readonly current: CurrentRecords | null;
  /** Aborted = it is lost, and perhaps another process's already: everything in flight is to be cut off. */
  readonly lost: AbortSignal;
  /**
   * Gives it back, once nothing of the pass is in flight. Never throws.
   * @param sent how many requests this process sent to the account within the last minute
   */
  release(sent: number): Promise<void>;
}

/** What is kept of a claimed account. */
export interface CurrentRecords {
  /** Null = it was never looked at. */
  readonly account: AccountRecord | null;
  /** Of the stacks that were asked for: those that were ever looked at. */
  readonly stacks: ReadonlyMap<string, StackRecord>;
  /** Of all sources. */
  readonly sources: ReadonlyMap<string, SourceRecord>;
}

/** What other processes have changed, and what a person put right. */
export interface StoredChanges {
  readonly stacks: readonly StackRecord[];
  readonly accounts: readonly AccountRecord[];
  readonly sources: readonly SourceRecord[];
  /** Names of accounts whose holder died without giving them back: they are to be looked at at once. */
  readonly abandoned: readonly string[];
}

/** Drift that a process is about to put back, for the one that tells: no record shows it. */
export interface StoredHeal {
  /** Names it; later ones sort after earlier ones. */
  readonly id: string;
  readonly stack: string;
  /** In milliseconds since 1970. */
  readonly at: number;
  /** How many resources. */
  readonly changes: number;
  readonly impact: Impact;
}

/**
 * What survives the process. Each save is atomic and done when its promise is; it rejects with an EdgewiseError `io`
 * when it can't be written, and when this process is no longer the one that may. The loop does not know whether it is a
 * directory or a database.
 *
 * The order of a write to the service: the account is claimed, the memory that says so is saved (a delete, a field that is
 * put back), then `assertHeld` passes, then the request is sent. A process that can't save can look, but
 * not write: what it did would count for nothing after a restart. Saves of one record happen in the order of the calls.
 */
export interface ServeStore {
  /** Whether other processes may use it, too: then what they change is asked for, and every look is saved. */
  readonly shared: boolean;
  load(): Promise<StoredState>;
  /** What others changed since the last call, or since {@link load}. What is damaged is read again. */
  changes(): Promise<StoredChanges>;
  /**
   * Claims accounts that nobody holds, in the order given, at most so many. May give fewer, or none.
   * @throws EdgewiseError `io` when nobody knows who holds them
   */
  claim(wanted: readonly WantedAccount[], most: number): Promise<readonly AccountClaim[]>;
  /** To be called for stacks of accounts that this process has claimed. */
  saveStack(record: StackRecord): Promise<void>;
  /**
   * Saves a state that a stack enters without a pass, and the history of that. False, and nothing is saved, when another
   * process has changed the record since this one knew it.
   */
  saveTransition(record: StackRecord, history: readonly HistoryEntry[]): Promise<boolean>;
  /** Removes what is kept of a stack but its history. */
  forgetStack(name: string): Promise<void>;
  /** To be called for accounts that this process has claimed. */
  saveAccount(record: AccountRecord): Promise<void>;
  /** What is kept of a source now; null = nothing. */
  readSource(name: string): Promise<SourceRecord | null>;
  /**
   * @param before what {@link readSource} gave before it was fetched
   * @returns false, and nothing is saved, when another process meanwhile followed the source to another commit
   */
  saveSource(record: SourceRecord, before: SourceRecord | null): Promise<boolean>;
  /** The plan of the last look; null = there is nothing to do. It holds no secret. */
  savePlan(stack: string, plan: Plan | null): Promise<void>;
  /** @throws EdgewiseError `io` when it is damaged: nobody knows whether there is something to do */
  readPlan(stack: string): Promise<Plan | null>;
  /** Whether this process is the one that tells receivers. Others leave it to that one. Never throws. */
  isTeller(): boolean;
  /** What was told, by the name of its record. Apart from {@link load}, as the loop itself does not need it. */
  loadTold(): Promise<ReadonlyMap<string, ToldRecord>>;
  saveTold(record: ToldRecord): Promise<void>;
  /** Leaves a heal to the process that tells. */
  saveHeal(heal: Omit<StoredHeal, "id">): Promise<void>;
  /** The heals that other processes left to this one, oldest first. */
  loadHeals(): Promise<readonly StoredHeal[]>;
  /** Removes a heal that was told. */
  removeHeal(id: string): Promise<void>;
  appendHistory(entries: readonly HistoryEntry[]): Promise<void>;
  /** @throws EdgewiseError `usage` when `after` is not from a page */
  readHistory(stack: string, page: { readonly limit: number; readonly after: string | null }): Promise<HistoryPage>;
  /** Removes history from before a time, in milliseconds since 1970; up to a day may stay longer. */
  pruneHistory(before: number): Promise<void>;
  /** Whether it can be written now: for readiness. Never throws. */
  isUsable(): Promise<boolean>;
  close(): Promise<void>;
}
