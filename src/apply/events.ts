import type { Address } from "../kinds/names.js";
import type { OperationKind } from "../plan/plan-format.js";
import type { ApplyDeps } from "./apply-deps.js";
import type { OperationStatus, Outcome } from "./result.js";

/** What a request is for: an operation of the plan, or giving back what a temporary release let go. */
export type Purpose = "operation" | "restore";

/** Who an event is about. */
interface About {
  /** Id of the operation in the plan: `op-1`. */
  readonly op: string;
  readonly address: Address;
}

/** One try of one request. `path` is complete: ids known by now are in it. */
interface Try extends About {
  readonly method: string;
  readonly path: string;
  readonly purpose: Purpose;
  /** Counts from 1; the tries that the client makes by itself are not told apart. */
  readonly attempt: number;
}

/** What an event says, by its name. Never a body, never a secret. */
export type EventBody =
  | {
      readonly event: "run-started";
      readonly stack: string;
      readonly baseUrl: string;
      readonly plan: string;
      readonly operations: number;
      readonly concurrency: number;
    }
  | (About & { readonly event: "operation-started"; readonly kind: OperationKind })
  /** An id or addr that this run made was put where the plan had none. Secrets are not told. */
  | (About & {
      readonly event: "bound";
      /** JSON pointer into the body; null for the path. */
      readonly pointer: string | null;
      readonly from: Address;
      readonly part: "id" | "addr";
      readonly value: string;
    })
  /** About to be sent. */
  | (Try & { readonly event: "request" })
  /** Answered, or given up: then `status` is null. */
  | (Try & {
      readonly event: "response";
      readonly status: number | null;
      readonly resourceId: string | null;
      readonly error: string | null;
    })
  /** `settling`: the service may need a moment; `lookup`: before looking again for what may have been made. */
  | (About & { readonly event: "waiting"; readonly reason: "settling" | "lookup"; readonly milliseconds: number })
  /** The collection was listed for what a create of unknown outcome may have made. */
  | (About & { readonly event: "lookup"; readonly found: readonly string[]; readonly error: string | null })
  /** What a temporary release let go was given back, or could not be. */
  | (About & { readonly event: "restored"; readonly restored: boolean; readonly error: string | null })
  | (About & {
      readonly event: "operation-ended";
      readonly kind: OperationKind;
      readonly status: OperationStatus;
      readonly httpStatus: number | null;
      readonly resourceId: string | null;
      readonly error: string | null;
    })
  /** Nothing more is started from here on. */
  | {
      readonly event: "stopping";
      readonly reason: "interrupted" | "fail-fast" | "internal-error" | "events-failed";
      readonly message: string;
    }
  | {
      readonly event: "run-ended";
      readonly outcome: Outcome;
      readonly done: number;
      readonly failed: number;
      readonly skipped: number;
      readonly unknown: number;
    };

/** Something that happened during an apply (schemas/journal.schema.json, save `run`). `time` is RFC 3339, UTC. */
export type ApplyEvent = EventBody & { readonly time: string };

/** Passes events on, with their time, and keeps count of those that are not yet written. */
export class EventEmitter {
  readonly #deps: Pick<ApplyDeps, "onEvent" | "clock">;
  readonly #failed: (error: unknown) => void;
  #open: Promise<unknown> = Promise.resolve();
  #broken = false;

  /** @param failed called once, when an event could not be told */
  constructor(deps: Pick<ApplyDeps, "onEvent" | "clock">, failed: (error: unknown) => void) {
    this.#deps = deps;
    this.#failed = failed;
  }

  /** Tells an event. Resolves to whether it was taken (written, for a journal); never rejects. */
  async emit(body: EventBody): Promise<boolean> {
    const event = { time: new Date(this.#deps.clock.now()).toISOString(), ...body };
    try {
      const taken = this.#deps.onEvent(event);
      if (taken !== undefined) {
        this.#open = Promise.allSettled([this.#open, taken]);
        await taken;
      }
      return true;
    } catch (error) {
      if (!this.#broken) {
        this.#broken = true;
        this.#failed(error);
      }
      return false;
    }
  }

  /** Resolves when every event told so far was taken, or failed to be. */
  async flushed(): Promise<void> {
    await this.#open;
  }
}
