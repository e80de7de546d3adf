import type { Client, ClientOptions, Clock } from "../api/client.js";
import type { Impact } from "../kinds/impact.js";
import type { FleetAccount, FleetSource, StackTarget } from "./fleet/fleet.js";
import type { ApprovalReader, SourceCommit, SourceReader } from "./git/source-reader.js";
import type { AccountRecord, HistoryEntry, StackMemory, StackRecord, StackStatus } from "./records.js";
import type { ServeEvent } from "./serve-events.js";
import type { AccountClaim, ServeStore } from "./store/store.js";

/** Everything that the loop needs from the outside. */
export interface ServeDeps {
  readonly clock: Clock;
  readonly steadyClock: Clock;
  readonly random: () => number;
  readonly store: ServeStore;
  readonly reader: SourceReader;
  readonly approvals: ApprovalReader & { readonly draw: () => string };
  readonly connect: (account: FleetAccount, changes: Partial<ClientOptions>) => Promise<Client>;
  readonly pass: (input: AccountPassInput, deps: PassDeps) => Promise<AccountOutcome>;
  readonly emit: (event: ServeEvent) => void;
  readonly onOutbox: () => void;
  readonly traffic?: AccountTraffic;
  readonly mask: (text: string) => string;
  readonly dryRun: boolean;
}

export interface AccountTraffic {
  sentLately(account: FleetAccount): number;
  countOthers(account: FleetAccount, count: number): void;
}

export interface StopSignals {
  readonly stop: AbortSignal;
  readonly hardStop: AbortSignal;
}

export interface DueStack {
  readonly target: StackTarget;
  readonly source: FleetSource | null;
  readonly record: StackRecord | null;
  readonly commit: SourceCommit | null;
  /** `unreachable`: nobody knows whether the commit is still wanted. */
  readonly unfollowed: { readonly rewound: boolean; readonly message: string; readonly unreachable: boolean } | null;
}

export interface AccountPassInput {
  readonly account: FleetAccount;
  readonly record: AccountRecord;
  readonly due: readonly DueStack[];
  readonly stacks: number;
}

export interface PassDeps extends ServeDeps, StopSignals {
  readonly claim: AccountClaim;
  readonly paused: boolean;
  readonly saveBeforeWrite: (stack: string, kept: KeptBeforeWrite) => Promise<void>;
  readonly onPending: (stack: string, seen: PendingStatus) => void;
}

export interface KeptBeforeWrite {
  readonly memory: StackMemory;
  readonly account: AccountRecord | null;
  readonly heal: { readonly changes: number; readonly impact: Impact } | null;
}

export type PendingStatus = Pick<StackStatus, "changes" | "commit" | "impact" | "lookedAt" | "message">;

export interface StackOutcome {
  readonly record: StackRecord;
  readonly history: readonly HistoryEntry[];
}

export interface AccountOutcome {
  readonly account: AccountRecord;
  readonly stacks: readonly StackOutcome[];
}
