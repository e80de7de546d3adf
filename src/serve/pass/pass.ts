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

export interface DueStack {
  readonly target: StackTarget;
  readonly record: StackRecord | null;
  /** The followed commit; null = there is none, and `unfollowed` says why. */
  readonly commit: SourceCommit | null;
  readonly unfollowed: {
    readonly rewound: boolean;
    readonly message: string;
    /** Whether the source can't be read at all: then nobody knows whether the followed commit is still wanted. */
    readonly unreachable?: boolean;
  } | null;
}

export interface AccountPassInput {
  readonly account: FleetAccount;
  readonly record: AccountRecord;
  readonly due: readonly DueStack[];
  readonly stacks: number;
  /**
   * After so many milliseconds of writing no other stack is begun: all are looked at again first, so that one slow stack
   * does not hide how the others are.
   */
  readonly writingMs?: number;
  /**
   * Until when nothing is written (milliseconds since 1970), because what a pass sent that was cut off may still arrive.
   * Absent = that is not so.
   */
  readonly quietUntil?: number;
}

export interface PassDeps {
  readonly clock: Clock;
  /** Measures pauses, whatever the time on the wall is set to; absent = `clock` does. */
  readonly steadyClock?: Clock;
  readonly random: () => number;
  readonly saveBeforeWrite: (stack: string, kept: KeptBeforeWrite) => Promise<void>;
  readonly savePlan: (stack: string, plan: Plan | null) => Promise<void>;
  readonly claim: WriteHold;
  readonly emit: (event: ServeEvent) => void;
  /** A client for an account; the key is read anew. */
  readonly connect: (account: FleetAccount, changes: Partial<ClientOptions>) => Promise<Client>;
  readonly paused: boolean;
  readonly dryRun: boolean;
  readonly approvals?: PassApprovals;
  readonly onPending?: (stack: string, seen: PendingStatus) => void;
  readonly stop: AbortSignal;
  readonly hardStop: AbortSignal;
}

export interface KeptBeforeWrite {
  readonly memory: StackMemory;
  readonly account: AccountRecord | null;
  /**
   * How many of the changes put back what somebody changed live, and the worst impact of the plan; null = none does.
   */
  readonly heal: { readonly changes: number; readonly impact: Impact } | null;
}

export type PendingStatus = Pick<StackStatus, "changes" | "commit" | "impact" | "lookedAt" | "message">;

export interface PassApprovals {
  readonly draw: () => string;
  readonly find: (source: string, question: ApprovalQuestion, signal: AbortSignal) => Promise<ApprovalAnswer>;
}

export interface StackOutcome {
  readonly record: StackRecord;
  readonly history: readonly HistoryEntry[];
}

export interface AccountOutcome {
  readonly account: AccountRecord;
  readonly stacks: readonly StackOutcome[];
}

const freshMs = 5000;

export class Pass {
  /** Why nothing can be read, or the lists can't be believed: then nothing is written. Null = they can. */
  unreadable: string | null = null;
  readonly #client: Client | null;
  #latest: ListHealth | null = null;
  #writingSince: number | null = null;

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

  list(): ListHealth {
    this.#latest = new ListHealth(this.client, this.deps.clock.now());
    return this.#latest;
  }

  /** From now on the lists of the looks are not good enough. */
  beginWriting(): void {
    this.#latest = null;
    this.#writingSince = this.deps.clock.now();
  }

  /** Lists for a write or a verification: begun under the account's lock and after its last write. */
  listForWriting(anew: boolean): ListHealth {
    const latest = this.#latest;
    const isFresh = latest !== null && !anew && latest.began >= this.deps.clock.now() - freshMs;
    return isFresh ? latest : this.list();
  }

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
