import type { Client, ClientOptions, Clock } from "../api/client.js";
import type { Impact } from "../kinds/impact.js";
import type { FleetAccount, FleetSource, StackTarget } from "./fleet/fleet.js";
import type { ApprovalReader, SourceCommit, SourceReader } from "./git/source-reader.js";
import type { AccountRecord, HistoryEntry, StackMemory, StackRecord, StackStatus } from "./records.js";
import type { ServeEvent } from "./serve-events.js";
import type { AccountClaim, ServeStore } from "./store/store.js";

export type ServeDeps = Readonly<{
  clock: Clock;
  steadyClock: Clock;
  random: () => number;
  store: ServeStore;
  reader: SourceReader;
  approvals: ApprovalReader & { readonly draw: () => string };
  connect: (account: FleetAccount, changes: Partial<ClientOptions>) => Promise<Client>;
  pass: (input: AccountPassInput, deps: PassDeps) => Promise<AccountOutcome>;
  emit: (event: ServeEvent) => void;
  onOutbox: () => void;
  traffic?: AccountTraffic;
  mask: (text: string) => string;
  dryRun: boolean;
}>;

export interface AccountTraffic {
  sentLately(account: FleetAccount): number;
  countOthers(account: FleetAccount, count: number): void;
}

export type StopSignals = Readonly<{
  stop: AbortSignal;
  hardStop: AbortSignal;
}>;

export type DueStack = Readonly<{
  target: StackTarget;
  source: FleetSource | null;
  record: StackRecord | null;
  commit: SourceCommit | null;
  /** `unreachable`: nobody knows whether the commit is still wanted. */
  unfollowed: Readonly<{ rewound: boolean; message: string; unreachable: boolean }> | null;
}>;

export type AccountPassInput = Readonly<{
  account: FleetAccount;
  record: AccountRecord;
  due: readonly DueStack[];
  stacks: number;
}>;

export type PassDeps = ServeDeps &
  StopSignals &
  Readonly<{
    claim: AccountClaim;
    paused: boolean;
    saveBeforeWrite: (stack: string, kept: KeptBeforeWrite) => Promise<void>;
    onPending: (stack: string, seen: PendingStatus) => void;
  }>;

export type KeptBeforeWrite = Readonly<{
  memory: StackMemory;
  account: AccountRecord | null;
  heal: Readonly<{ changes: number; impact: Impact }> | null;
}>;

export type PendingStatus = Pick<StackStatus, "changes" | "commit" | "impact" | "lookedAt" | "message">;

export type StackOutcome = Readonly<{
  record: StackRecord;
  history: readonly HistoryEntry[];
}>;

export type AccountOutcome = Readonly<{
  account: AccountRecord;
  stacks: readonly StackOutcome[];
}>;
