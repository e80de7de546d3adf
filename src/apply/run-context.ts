import type { Client } from "../api/client.js";
import type { JsonObject } from "../core/json.js";
import type { Secret } from "../core/secret.js";
import type { Semaphore } from "../core/semaphore.js";
import type { Address, KindName } from "../kinds/names.js";
import type { OperationAction } from "../plan/operation-words.js";
import type { OperationGraph } from "../plan/order.js";
import type { Operation, Warning } from "../plan/plan-format.js";
import type { CreatedResource } from "./bind-operation.js";
import type { EventEmitter, EventSink } from "./events.js";

export interface ApplyDeps extends EventSink {
  /** Retries idempotent requests by itself; never a POST whose outcome is unknown. */
  readonly client: Pick<Client, "list" | "send">;
  readonly concurrency: number;
  readonly resolveSecret: (reference: string) => Secret;
  /** Aborted = start no further operation; requests in flight finish. */
  readonly signal: AbortSignal;
  /** Aborted = send no further request. */
  readonly hardSignal?: AbortSignal;
  /** Who runs this, for the journal. */
  readonly by?: string;
  /** How long a refusal is retried when the operation uses what this run created or released. */
  readonly consistencyMs?: number;
  /** How long lists may lag behind writes. */
  readonly settleMs?: number;
  /** Between 0 and 1, for jitter. */
  readonly random: () => number;
}

export interface WaitGraph {
  readonly operations: readonly Operation[];
  readonly indexOf: ReadonlyMap<string, number>;
  readonly waits: OperationGraph;
}

/** What the parts of one apply share. */
export interface RunContext extends ApplyDeps {
  readonly stack: string;
  readonly hardSignal: AbortSignal;
  readonly consistencyMs: number;
  readonly settleMs: number;
  readonly listKind: (kind: KindName) => Promise<readonly JsonObject[]>;
  readonly graph: WaitGraph;
  readonly secrets: ReadonlyMap<string, Secret>;
  readonly emitter: EventEmitter;
  /** One permit for each operation that may be in flight. */
  readonly semaphore: Semaphore;
  readonly does: ReadonlyMap<string, OperationAction>;
  /** What the creates of this run made so far. */
  readonly created: Map<Address, CreatedResource>;
  /** By index, in milliseconds since 1970. */
  readonly endTimes: number[];
  readonly warnings: Warning[];
}
