import type { Address } from "../kinds/names.js";
import type { OperationAction } from "../plan/operation-words.js";
import type { OperationKind } from "../plan/plan-format.js";
import type { Clock } from "../api/client.js";
import type { OperationStatus, Outcome } from "./result.js";

export type Purpose = "operation" | "restore";

interface About {
  /** `op-1` */
  readonly op: string;
  readonly address: Address;
}

interface Does extends Partial<OperationAction> {
  readonly kind: OperationKind;
}

interface Attempt extends About {
  readonly method: string;
  readonly path: string;
  readonly purpose: Purpose;
  /** Without the client's own retries. */
  readonly attempt: number;
}

/** It never holds a body or a secret. */
export type EventBody =
  | {
      readonly event: "run-started";
      readonly stack: string;
      readonly baseUrl: string;
      readonly plan: string;
      readonly commit: string | null;
      readonly toolVersion: string;
      readonly by?: string;
      readonly operations: number;
      readonly concurrency: number;
    }
  | (About & Does & { readonly event: "operation-started" })
  | (Attempt & { readonly event: "request" })
  | (Attempt & {
      readonly event: "response";
      readonly status: number | null;
      readonly resourceId: string | null;
      readonly error: string | null;
    })
  /** `settling`: before a refusal is retried. */
  | (About & { readonly event: "waiting"; readonly reason: "settling" | "lookup"; readonly milliseconds: number })
  /** For what a create of unknown outcome may have created. */
  | (About & { readonly event: "lookup"; readonly found: readonly string[]; readonly error: string | null })
  | (About & { readonly event: "restored"; readonly restored: boolean; readonly error: string | null })
  | (About &
      Does & {
        readonly event: "operation-ended";
        readonly status: OperationStatus;
        readonly httpStatus: number | null;
        readonly resourceId: string | null;
        readonly error: string | null;
      })
  | {
      readonly event: "stopping";
      readonly reason: "interrupted" | "lock-lost" | "internal-error" | "events-failed";
      readonly message: string;
    }
  | ({ readonly event: "run-ended"; readonly outcome: Outcome } & { readonly [S in OperationStatus]: number });

/** schemas/journal.schema.json, without `run`. `time` is RFC 3339, UTC. */
export type ApplyEvent = EventBody & { readonly time: string };

export interface EventSink {
  /** Called in order. If it rejects, the request that it announces is not sent, and nothing more starts. */
  readonly onEvent: (event: ApplyEvent) => void | Promise<void>;
  readonly clock: Clock;
}

export class EventEmitter {
  #pending: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly sink: EventSink,
    private readonly onFailure: (error: unknown) => void,
  ) {}

  /** Whether it was recorded; never rejects. */
  async emit(body: EventBody): Promise<boolean> {
    const event = { time: new Date(this.sink.clock.now()).toISOString(), ...body };
    try {
      const recorded = this.sink.onEvent(event);
      if (recorded !== undefined) {
        this.#pending = Promise.allSettled([this.#pending, recorded]);
        await recorded;
      }
      return true;
    } catch (error) {
      this.onFailure(error);
      return false;
    }
  }

  async flushed(): Promise<void> {
    await this.#pending;
  }
}
