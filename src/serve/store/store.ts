import type { WriteHold } from "../../api/client.js";
import type { Plan } from "../../plan/plan-format.js";
import type { FleetAccount } from "../fleet/fleet.js";
import type { Notification } from "../notify/notification.js";
import type { AccountRecord, HistoryEntry, SourceRecord, StackRecord } from "../records.js";

/** What a store holds when the loop starts. */
export interface StoredState {
  readonly stacks: ReadonlyMap<string, StackRecord>;
  readonly accounts: ReadonlyMap<string, AccountRecord>;
  readonly sources: ReadonlyMap<string, SourceRecord>;
  /** By `recordKey`: what can't be read, and why. The store keeps it up to date, and saves nothing over it. */
  readonly damaged: ReadonlyMap<string, string>;
}

/** A page of history, newest first. */
export interface HistoryPage {
  readonly entries: readonly HistoryEntry[];
  /** The `after` of the next page; null = there is none. */
  readonly next: string | null;
}

/**
 * The right to pass an account and to write to it: one process at a time has it, until it gives it back or dies. Two names
 * for one account (one address, one key) are one account.
 */
export interface AccountClaim extends WriteHold {
  /** The account's name in the fleet file. */
  readonly account: string;
  /**
   * Until when nothing may be written, in milliseconds since 1970: the holder before did not give it back, and a request of
   * it may still be on its way. 0 = that is not so.
   */
  readonly quietUntil: number;
  /** How many requests other processes sent to the account within the last minute. */
  readonly sentByOthers: number;
  /** Aborted = another process may have it already: everything in flight is to be cut off. */
  readonly lost: AbortSignal;
  /**
   * Gives it back, once nothing of the pass is in flight. Never throws.
   * @param sent how many requests this process sent to the account within the last minute
   */
  release(sent: number): Promise<void>;
}

/** What other processes changed, and what a person put right. */
export interface StoredChanges {
  readonly stacks: readonly StackRecord[];
  readonly accounts: readonly AccountRecord[];
  readonly sources: readonly SourceRecord[];
  /** Accounts whose holder was seen to have died without giving them back: each is given to one process, once. */
  readonly abandoned: readonly string[];
}

/** What is saved in one step. */
export interface Saved {
  readonly stacks: readonly StackRecord[];
  readonly accounts: readonly AccountRecord[];
  readonly history: readonly HistoryEntry[];
  readonly outbox: readonly OutboxEntry[];
}

/** A notification that waits for one receiver. */
export interface OutboxEntry {
  /** Names the receiver. */
  readonly receiver: string;
  /** Since when it waits, in milliseconds since 1970. */
  readonly since: number;
  readonly notification: Notification;
}

/**
 * What survives the process: a directory or a database. Each save is done when its promise is; it rejects with an
 * EdgewiseError `io` when it can't be made, and when this process is no longer the one that may.
 *
 * Before a write to the service the account is claimed, what must be remembered of it is saved, and `assertHeld` passes: a
 * process that can't save can look, but not write.
 */
export interface ServeStore {
  /** Whether other processes may use it, too. */
  readonly shared: boolean;
  load(): Promise<StoredState>;
  /** What changed since the last call, or since {@link load}, and not by this process. What is damaged is read again. */
  changes(): Promise<StoredChanges>;
  /** Claims those accounts that no process holds. What is kept of them is current after {@link changes}. */
  claim(wanted: readonly FleetAccount[]): Promise<readonly AccountClaim[]>;
  /**
   * Saves records with what happened to them. What is interrupted is saved again by the next pass.
   * @param claim of the account; null = its one stack enters a state without a pass, or there is none
   * @returns false, and nothing is saved, when there is no claim and another process changed the stack
   */
  save(saved: Saved, claim: AccountClaim | null): Promise<boolean>;
  /** @returns false, and nothing is saved, when another process follows the source to another commit than `before` */
  saveSource(record: SourceRecord, before: SourceRecord | null): Promise<boolean>;
  /** Removes what is kept of a stack but its history. */
  forgetStack(name: string): Promise<void>;
  /** The plan of the last look; null = there is nothing to do. It holds no secret. */
  savePlan(stack: string, plan: Plan | null): Promise<void>;
  /** @throws EdgewiseError `io` when it is damaged */
  readPlan(stack: string): Promise<Plan | null>;
  /** @throws EdgewiseError `usage` when `after` is not from a page */
  readHistory(stack: string, page: { readonly limit: number; readonly after: string | null }): Promise<HistoryPage>;
  /** Removes history and notifications from before a time, in milliseconds since 1970; up to a day may stay longer. */
  prune(history: number, outbox: number): Promise<void>;
  /** The oldest notification that waits for a receiver, kept from other processes for a minute; null = none does. */
  claimNotification(receiver: string): Promise<(OutboxEntry & { readonly id: string }) | null>;
  /** Removes a notification that was sent, or given up. */
  removeNotification(id: string): Promise<void>;
  /** Whether it can be written now. Never throws. */
  isUsable(): Promise<boolean>;
  close(): Promise<void>;
}

/** So long what a process sent before it was cut off may still arrive: the timeout of a request, and ten seconds more. */
export const cutOffMs = 40_000;
