import type { Client, ClientOptions, Clock, WriteHold } from "../../api/client.js";
import type { Impact } from "../../kinds/impact.js";
import type { Plan } from "../../plan/plan-format.js";
import type { FleetAccount, StackTarget } from "../fleet/fleet.js";
import type { AccountRecord, HistoryEntry, StackMemory, StackRecord, StackStatus } from "../records.js";
import type { ApprovalAnswer, ApprovalQuestion } from "../git/approval-reader.js";
import type { SourceCommit } from "../git/source-reader.js";
import type { ServeEvent } from "../serve-events.js";

/** A stack whose time has come. */
export interface DueStack {
  readonly target: StackTarget;
  /** Null = it was never looked at. */
  readonly record: StackRecord | null;
  /** The followed commit; null = there is none, and `unfollowed` says why. */
  readonly commit: SourceCommit | null;
  /** Why the source's tip is not followed, or can't be read; null = all is well. `rewound` makes the stack wait. */
  readonly unfollowed: {
    readonly rewound: boolean;
    readonly message: string;
    /** Whether the source can't be read at all: then nobody knows whether the followed commit is still wanted. */
    readonly unreachable?: boolean;
  } | null;
  /** Whether another process passed it since this one did: then nothing that this one remembers of it counts. */
  readonly passedByOthers?: boolean;
}

/** The due stacks of one account, oldest look first. */
export interface AccountPassInput {
  readonly account: FleetAccount;
  readonly record: AccountRecord;
  readonly due: readonly DueStack[];
  /** How many stacks the account has in the fleet. */
  readonly stacks: number;
  /**
   * After so long, in milliseconds, no other stack is begun to be written: it is looked at again first, with all that came
   * due meanwhile, so that one slow stack does not hide how the others are. Absent = all are written.
   */
  readonly writingMs?: number;
  /**
   * Until when nothing is written, in milliseconds since 1970, because a pass was cut off while it wrote: what it sent may
   * still arrive. Absent = that is not so.
   */
  readonly quietUntil?: number;
}

/** What a pass needs from the outside. */
export interface PassDeps {
  readonly clock: Clock;
  /** Measures pauses, whatever the time on the wall is set to; absent = `clock` does. */
  readonly steadyClock?: Clock;
  /** From 0 to below 1. */
  readonly random: () => number;
  /** Keeps what a stack and its account must remember. Nothing of the stack is written before it has. @throws EdgewiseError `io` */
  readonly saveBeforeWrite: (stack: string, kept: KeptBeforeWrite) => Promise<void>;
  /** Keeps the plan of a look, for whoever wants to see it; null = there is nothing to do. @throws EdgewiseError `io` */
  readonly savePlan: (stack: string, plan: Plan | null) => Promise<void>;
  /** Held while this process alone may write to the account. */
  readonly claim: WriteHold;
  readonly emit: (event: ServeEvent) => void;
  /** A client for an account; the key is read anew. @throws EdgewiseError `config` when it can't be read */
  readonly connect: (account: FleetAccount, changes: Partial<ClientOptions>) => Promise<Client>;
  /** Whether the operator paused the fleet. */
  readonly paused: boolean;
  /** Decide and say, write nothing. */
  readonly dryRun: boolean;
  /** Absent = nothing can be approved, and nothing is named that could be. */
  readonly approvals?: PassApprovals;
  /** A stack is about to be written: how it is until its outcome is known. Nothing in it is secret. Absent = nobody asks. */
  readonly onPending?: (stack: string, seen: PendingStatus) => void;
  /** Aborted = begin nothing new; what runs ends as `apply` does. */
  readonly stop: AbortSignal;
  /** Aborted = cut everything off. */
  readonly hardStop: AbortSignal;
}

/** What is kept before a stack is written. */
export interface KeptBeforeWrite {
  readonly memory: StackMemory;
  /** Null = it is as it was. */
  readonly account: AccountRecord | null;
  /** How many of the changes put back what somebody changed live, and the worst impact of the plan; null = none does. */
  readonly heal: { readonly changes: number; readonly impact: Impact } | null;
}

/** What is known of a stack while what is allowed is on its way. */
export type PendingStatus = Pick<StackStatus, "changes" | "commit" | "impact" | "lookedAt" | "message">;

/** How what waits is named and approved. */
export interface PassApprovals {
  /** 32 random bytes that nobody can guess, in hexadecimal. */
  readonly draw: () => string;
  /** The tags of a source that approve a digest. @param source its name */
  readonly find: (source: string, question: ApprovalQuestion, signal: AbortSignal) => Promise<ApprovalAnswer>;
}

/** What became of one stack. */
export interface StackOutcome {
  readonly record: StackRecord;
  readonly history: readonly HistoryEntry[];
}

/** What became of an account's due stacks. */
export interface AccountOutcome {
  readonly account: AccountRecord;
  readonly stacks: readonly StackOutcome[];
}
