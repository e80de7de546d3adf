import type { WriteHold } from "../../api/client.js";
import type { Plan } from "../../plan/plan-format.js";
import type { FleetAccount } from "../fleet/fleet.js";
import type { OutboxEntry } from "../notify/notification.js";
import type { AccountRecord, HistoryEntry, SourceRecord, StackRecord } from "../records.js";

export interface StoredState {
  readonly stacks: ReadonlyMap<string, StackRecord>;
  readonly accounts: ReadonlyMap<string, AccountRecord>;
  readonly sources: ReadonlyMap<string, SourceRecord>;
  /** The store saves nothing over it. */
  readonly damaged: ReadonlyMap<string, string>;
}

export interface PageQuery {
  readonly limit: number;
  readonly after: string | null;
}

export interface HistoryPage {
  readonly entries: readonly HistoryEntry[];
  readonly next: string | null;
}

/** The right to pass an account: one process has it, until it gives it back or dies. */
export interface AccountClaim extends WriteHold {
  readonly account: string;
  /** Nothing is written before: a request of a holder that died may still be on its way. */
  readonly quietUntil: number;
  readonly sentByOthers: number;
  readonly lost: AbortSignal;
  /** Once nothing of the pass is in flight. Never throws. */
  release(sent: number): Promise<void>;
}

export interface StoredChanges {
  readonly stacks: readonly StackRecord[];
  readonly accounts: readonly AccountRecord[];
  readonly sources: readonly SourceRecord[];
  /** Accounts whose holder has died since the last call. */
  readonly abandoned: readonly string[];
}

export interface Saved extends Pick<StoredChanges, "stacks" | "accounts"> {
  readonly history: readonly HistoryEntry[];
  readonly outbox: readonly OutboxEntry[];
}

export type QueuedNotification = OutboxEntry & { readonly id: string };

export interface ServeStore {
  readonly shared: boolean;
  load(): Promise<StoredState>;
  changes(): Promise<StoredChanges>;
  claim(wanted: readonly FleetAccount[]): Promise<readonly AccountClaim[]>;
  /** With no claim, false = another process changed the stack, and nothing is saved. */
  save(saved: Saved, claim: AccountClaim | null): Promise<boolean>;
  saveSource(record: SourceRecord, before: SourceRecord | null): Promise<boolean>;
  forgetStack(name: string): Promise<void>;
  savePlan(stack: string, plan: Plan | null): Promise<void>;
  readPlan(stack: string): Promise<Plan | null>;
  readHistory(stack: string, page: PageQuery): Promise<HistoryPage>;
  prune(history: number, outbox: number): Promise<void>;
  /** Kept from other processes for a minute. */
  claimNotification(receiver: string): Promise<QueuedNotification | null>;
  removeNotification(id: string): Promise<void>;
  isUsable(): Promise<boolean>;
  close(): Promise<void>;
}

/** For so long a request of a process that was cut off may arrive: its timeout, and ten seconds. */
export const cutOffMs = 40_000;

export type Records = Omit<StoredChanges, "abandoned">;

export function storedState({ accounts, sources, stacks }: Records, damaged: StoredState["damaged"]): StoredState {
  const byName = <T extends { readonly name: string }>(records: readonly T[]): ReadonlyMap<string, T> =>
    new Map(records.map((record) => [record.name, record]));
  return { stacks: byName(stacks), accounts: byName(accounts), sources: byName(sources), damaged };
}
