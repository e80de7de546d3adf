import type { Client, ClientOptions, Clock, WriteHold } from "../../api/client.js";
import { EdgewiseError } from "../../core/errors.js";
import type { Impact } from "../../kinds/impact.js";
import type { Plan } from "../../plan/plan-format.js";
import type { ApprovalAnswer, ApprovalQuestion } from "../git/source-reader.js";
import type { SourceCommit } from "../git/source-reader.js";
import type { FleetAccount, StackTarget } from "../fleet/fleet.js";
import type { AccountRecord, HistoryEntry, StackMemory, StackRecord, StackStatus } from "../records.js";
import type { ServeEvent } from "../serve-events.js";
import { ListHealth } from "./list-health.js";
import type { LoadStack } from "./load-stack.js";

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
}

/** The due stacks of one account, oldest look first. */
export interface AccountPassInput {
  readonly account: FleetAccount;
  readonly record: AccountRecord;
  readonly due: readonly DueStack[];
  /** How many stacks the account has in the fleet. */
  readonly stacks: number;
  /**
   * After so many milliseconds of writing no other stack is begun: all are looked at again first, so that one slow stack
   * does not hide how the others are. Absent = all are written.
   */
  readonly writingMs?: number;
  /** Until when nothing is written (milliseconds since 1970), because what a pass sent that was cut off may still arrive. Absent = that is not so. */
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
  /** A stack is about to be written: how it is until its outcome is known. Absent = nobody asks. */
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

/** How long lists that a verification read may serve the next stack's write, in milliseconds. */
const freshMs = 5000;

/** One pass over one account: what its steps share. */
export class Pass {
  /** Why nothing can be read, or the lists can't be believed: then nothing is written. Null = they can. */
  unreadable: string | null = null;
  readonly #client: Client | null;
  #latest: ListHealth | null = null;
  #writingSince: number | null = null;

  /** @param client why there is none, when there is none */
  constructor(
    readonly input: AccountPassInput,
    readonly deps: PassDeps,
    readonly load: LoadStack,
    client: Client | string,
  ) {
    this.#client = typeof client === "string" ? null : client;
    if (typeof client === "string") this.unreadable = client;
  }

  get steadyClock(): Clock {
    return this.deps.steadyClock ?? this.deps.clock;
  }

  /** Sends nothing once this process may no longer write. @throws EdgewiseError `config` when there is none */
  get client(): Client {
    const client = this.#client;
    if (client === null) throw new EdgewiseError("config", this.unreadable ?? "there is no connection to the account");
    return {
      ...client,
      send: (request) => {
        this.#latest = null;
        return client.send(request);
      },
    };
  }

  /** Begins to list the account. */
  list(): ListHealth {
    this.#latest = new ListHealth(this.client, this.deps.clock.now());
    return this.#latest;
  }

  /** From now on the lists of the looks are not good enough. */
  beginWriting(): void {
    this.#latest = null;
    this.#writingSince = this.deps.clock.now();
  }

  /**
   * Lists for a write or a verification: begun under the account's lock and after its last write.
   * @param anew whether even lists of a moment ago, after which nothing was written, are not good enough
   */
  listForWriting(anew: boolean): ListHealth {
    const latest = this.#latest;
    const isFresh = latest !== null && !anew && latest.began >= this.deps.clock.now() - freshMs;
    return isFresh ? latest : this.list();
  }

  /** Why what is allowed of a stack is not written in this pass, for people; null = it is. */
  whyNotWritten({ unfollowed }: DueStack): string | null {
    const { clock, dryRun, paused, stop } = this.deps;
    const { quietUntil = 0, writingMs = Infinity } = this.input;
    if (dryRun) return "a dry run writes nothing";
    if (clock.now() < quietUntil)
      return `a pass was cut off while it wrote to the account, and what it sent may still arrive: nothing is written before ${new Date(quietUntil).toISOString()}`;
    if (this.unreadable !== null) return `live can't be read any more (${this.unreadable})`;
    if (stop.aborted) return "the loop is stopping";
    if (clock.now() - (this.#writingSince ?? Infinity) >= writingMs)
      return "others of the account were written so long that it is looked at again first";
    return paused || unfollowed?.rewound === true || unfollowed?.unreachable === true
      ? "nothing may be written now"
      : null;
  }
}
