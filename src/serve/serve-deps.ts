import type { Client, ClientOptions, Clock } from "../api/client.js";
import type { Impact } from "../kinds/impact.js";
import type { FleetAccount, FleetSource, StackTarget } from "./fleet/fleet.js";
import type { ApprovalReader, SourceCommit, SourceReader } from "./git/source-reader.js";
import type { AccountRecord, HistoryEntry, StackMemory, StackRecord, StackStatus } from "./records.js";
import type { ServeEvent } from "./serve-events.js";
import type { AccountClaim, ServeStore } from "./store/store.js";

/** Everything that the loop needs from the outside. With all of it simulated, a year passes in a second. */
export interface ServeDeps {
  /** Shows the time on the wall, which somebody may set: windows and records are about that time. */
  readonly clock: Clock;
  /** Measures pauses: setting the time on the wall does not move it. */
  readonly steadyClock: Clock;
  readonly random: () => number;
  readonly store: ServeStore;
  readonly reader: SourceReader;
  /** `draw`: 32 random bytes that nobody can guess, in hexadecimal. */
  readonly approvals: ApprovalReader & { readonly draw: () => string };
  /** A client for an account; the key is read anew. @throws EdgewiseError `config` when it can't be read */
  readonly connect: (account: FleetAccount, changes: Partial<ClientOptions>) => Promise<Client>;
  readonly pass: (input: AccountPassInput, deps: PassDeps) => Promise<AccountOutcome>;
  readonly emit: (event: ServeEvent) => void;
  /** A notification waits to be sent. */
  readonly onOutbox: () => void;
  /** The requests of the last minute, by account, so that processes share its limit. Absent = they don't. */
  readonly traffic?: AccountTraffic;
  readonly mask: (text: string) => string;
  /** Decide and say, write nothing to the service. */
  readonly dryRun: boolean;
}

export interface AccountTraffic {
  sentLately(account: FleetAccount): number;
  /** They count towards the account's limit here. */
  countOthers(account: FleetAccount, count: number): void;
}

export interface StopSignals {
  /** Aborted = begin nothing new. */
  readonly stop: AbortSignal;
  /** Aborted = cut everything off. */
  readonly hardStop: AbortSignal;
}

export interface DueStack {
  readonly target: StackTarget;
  /** Null = the fleet file does not name it any more. */
  readonly source: FleetSource | null;
  readonly record: StackRecord | null;
  /** The followed commit; null = there is none, and `unfollowed` says why. */
  readonly commit: SourceCommit | null;
  /** Why the source's tip is not followed; `unreachable`: nobody knows whether the followed commit is still wanted. */
  readonly unfollowed: { readonly rewound: boolean; readonly message: string; readonly unreachable: boolean } | null;
}

/** One pass of an account: its due stacks, oldest look first. */
export interface AccountPassInput {
  readonly account: FleetAccount;
  readonly record: AccountRecord;
  readonly due: readonly DueStack[];
  /** How many stacks the account has in the fleet. */
  readonly stacks: number;
  /** After so long no other stack is written before all were looked at again: a slow one must not hide how they are. */
  readonly writingMs: number;
}

export interface PassDeps extends ServeDeps, StopSignals {
  readonly claim: AccountClaim;
  readonly paused: boolean;
  /** Nothing of a stack is written before this has kept what it and its account must remember. */
  readonly saveBeforeWrite: (stack: string, kept: KeptBeforeWrite) => Promise<void>;
  readonly onPending: (stack: string, seen: PendingStatus) => void;
}

export interface KeptBeforeWrite {
  readonly memory: StackMemory;
  readonly account: AccountRecord | null;
  /** How many changes put back what somebody changed live, and the worst impact of the plan; null = none does. */
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
