import type { WriteHold } from "../../api/client.js";
import type { Plan } from "../../plan/plan-format.js";
import type { FleetAccount } from "../fleet/fleet.js";
import type { OutboxEntry } from "../notify/notification.js";
import type { AccountRecord, HistoryEntry, SourceRecord, StackRecord } from "../records.js";

export type StoredState = Readonly<{
  stacks: ReadonlyMap<string, StackRecord>;
  accounts: ReadonlyMap<string, AccountRecord>;
  sources: ReadonlyMap<string, SourceRecord>;
  /** The store saves nothing over it. */
  damaged: ReadonlyMap<string, string>;
}>;

export type PageQuery = Readonly<{ limit: number; after: string | null }>;

export type HistoryPage = Readonly<{ entries: readonly HistoryEntry[]; next: string | null }>;

/** The right to pass an account: one process has it, until it gives it back or dies. */
export type AccountClaim = WriteHold &
  Readonly<{
    account: string;
    /** Nothing is written before: a request of a holder that died may still be on its way. */
    quietUntil: number;
    sentByOthers: number;
    lost: AbortSignal;
    /** Once nothing of the pass is in flight. Never throws. */
    release(sent: number): Promise<void>;
  }>;

export type StoredChanges = Readonly<{
  stacks: readonly StackRecord[];
  accounts: readonly AccountRecord[];
  sources: readonly SourceRecord[];
  /** Accounts whose holder has died since the last call. */
  abandoned: readonly string[];
}>;

export type Saved = Pick<StoredChanges, "stacks" | "accounts"> &
  Readonly<{
    history: readonly HistoryEntry[];
    outbox: readonly OutboxEntry[];
  }>;

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

/** A request of a process that was cut off may arrive so late: its timeout, and ten seconds. */
export const cutOffMs = 40_000;

export type Records = Omit<StoredChanges, "abandoned">;

export function storedState({ accounts, sources, stacks }: Records, damaged: StoredState["damaged"]): StoredState {
  const byName = <T extends { readonly name: string }>(records: readonly T[]): ReadonlyMap<string, T> =>
    new Map(records.map((record) => [record.name, record]));
  return { stacks: byName(stacks), accounts: byName(accounts), sources: byName(sources), damaged };
}
