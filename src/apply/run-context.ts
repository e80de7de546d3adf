import type { Client, Clock } from "../api/client.js";
import type { JsonObject } from "../core/json.js";
import type { Secret } from "../core/secret.js";
import type { Semaphore } from "../core/semaphore.js";
import type { Address, KindName } from "../kinds/names.js";
import type { OperationAction } from "../plan/operation-words.js";
import type { OperationGraph } from "../plan/order.js";
import type { Operation, OperationKind, Warning } from "../plan/plan-format.js";
import type { CreatedResource } from "./bind-operation.js";
import type { OperationStatus, Outcome } from "./result.js";

export interface ApplyDeps extends EventSink {
  /** Never repeats a POST of unknown outcome. */
  readonly client: Pick<Client, "list" | "send">;
  readonly concurrency: number;
  readonly resolveSecret: (reference: string) => Secret;
  /** Aborted = start no further operation; requests in flight finish. */
  readonly signal: AbortSignal;
  /** Aborted = send no further request. */
  readonly hardSignal?: AbortSignal;
  /** Who runs this, for the journal. */
  readonly by?: string;
  /** How long a refusal is retried when it may be because of lag. */
  readonly consistencyMs?: number;
  /** How long lists may lag behind writes. */
  readonly settleMs?: number;
  readonly random: () => number;
}

export interface WaitGraph {
  readonly operations: readonly Operation[];
  readonly indexOf: ReadonlyMap<string, number>;
  readonly waits: OperationGraph;
}

export interface RunContext extends ApplyDeps {
  readonly stack: string;
  readonly hardSignal: AbortSignal;
  readonly consistencyMs: number;
  readonly settleMs: number;
  readonly listKind: (kind: KindName) => Promise<readonly JsonObject[]>;
  readonly graph: WaitGraph;
  readonly secrets: ReadonlyMap<string, Secret>;
  readonly emitter: EventEmitter;
  readonly semaphore: Semaphore;
  readonly does: ReadonlyMap<string, OperationAction>;
  readonly created: Map<Address, CreatedResource>;
  readonly endTimes: number[];
  readonly warnings: Warning[];
}

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
