import type { Client } from "../api/client.js";
import type { JsonObject } from "../core/json.js";
import type { Secret } from "../core/secret.js";
import type { Semaphore } from "../core/semaphore.js";
import type { Address, KindName } from "../kinds/names.js";
import type { OperationAction } from "../plan/operation-words.js";
import type { OperationGraph } from "../plan/operation-graph.js";
import type { Operation, Warning } from "../plan/plan-format.js";
import type { CreatedResource } from "./bind-operation.js";
import type { EventEmitter, EventSink } from "./events.js";

/** Everything that an apply needs from the outside. */
export interface ApplyDeps extends EventSink {
  /** Retries idempotent requests by itself; never a POST whose outcome is unknown. */
  readonly client: Pick<Client, "list" | "send">;
  /** Operations in flight at one time, at least 1. */
  readonly concurrency: number;
  /** The secret that a reference (`TLSCertificate/x#private_key_pem`) stands for. */
  readonly resolveSecret: (reference: string) => Secret;
  /** Aborted = start no further operation; requests in flight finish. */
  readonly signal: AbortSignal;
  /** Aborted = send no further request. The client is expected to abort requests in flight on the same signal. */
  readonly hardSignal?: AbortSignal;
  /** Who runs this, for the journal, without secrets. */
  readonly by?: string;
  /** How long a refusal is retried when the operation uses what this run created or released. Default 30 000. */
  readonly consistencyMs?: number;
  /** How long lists may lag behind writes: so long a create whose response was lost is looked for. Default 30 000. */
  readonly settleMs?: number;
  /** Between 0 and 1, for jitter. */
  readonly random: () => number;
}

/** The operations by their index in the plan, and which of them wait for which. */
export interface WaitGraph {
  readonly operations: readonly Operation[];
  readonly indexOf: ReadonlyMap<string, number>;
  readonly waits: OperationGraph;
}

/** What the parts of one apply share. */
export interface RunContext {
  readonly deps: ApplyDeps;
  readonly stack: string;
  /** `hardSignal`, which never comes when there is none. */
  readonly hard: AbortSignal;
  /** Lists all resources of a kind. Throws as the client does. */
  readonly listKind: (kind: KindName) => Promise<readonly JsonObject[]>;
  readonly graph: WaitGraph;
  /** Secrets by the references that the plan uses for them. */
  readonly secrets: ReadonlyMap<string, Secret>;
  readonly emitter: EventEmitter;
  /** One permit for each operation that may be in flight. */
  readonly semaphore: Semaphore;
  /** What each operation does, by its id. */
  readonly does: ReadonlyMap<string, OperationAction>;
  /** What the creates of this run made so far, for the operations that use it. */
  readonly created: Map<Address, CreatedResource>;
  /** When each operation ended, by its index, in milliseconds since 1970. */
  readonly endTimes: number[];
  /** For the report. */
  readonly warnings: Warning[];
}
