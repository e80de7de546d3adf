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
