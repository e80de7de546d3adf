import type { Client, Clock } from "../api/client.js";
import type { JsonObject } from "../core/json.js";
import type { Secret } from "../core/secret.js";
import type { Semaphore } from "../core/semaphore.js";
import type { Address, KindName } from "../kinds/names.js";
import type { OperationAction } from "../plan/operation-words.js";
import type { OperationGraph } from "../plan/order.js";
import type { Operation, Plan, Warning } from "../plan/plan-format.js";
import type { CreatedResource } from "./bind-operation.js";
import type { OperationOutcome, OperationResult, OperationStatus, Outcome } from "./result.js";

export interface ApplyDeps extends EventSink {
  /** Never repeats a POST of unknown outcome. */
  readonly client: Pick<Client, "list" | "send">;
  readonly concurrency: number;
  readonly resolveSecret: (reference: string) => Secret;
  /** Aborted = start no further operation; requests in flight finish. */
  readonly signal: AbortSignal;
  readonly hardSignal?: AbortSignal;
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

export interface RunContext extends Required<Omit<ApplyDeps, "by">> {
  readonly stack: string;
  readonly listKind: (kind: KindName) => Promise<readonly JsonObject[]>;
  readonly graph: WaitGraph;
  readonly secrets: ReadonlyMap<string, Secret>;
  /** Whether the event was recorded; never rejects. */
  readonly emit: (body: EventBody) => Promise<boolean>;
  readonly semaphore: Semaphore;
  readonly does: ReadonlyMap<string, OperationAction>;
  readonly created: Map<Address, CreatedResource>;
  readonly endTimes: number[];
  readonly warnings: Warning[];
}

export type Purpose = "operation" | "restore";

interface About {
  readonly op: string;
  readonly address: Address;
}

type Does = About & Pick<OperationResult, "kind" | "action" | "module">;

interface Attempt extends About {
  readonly method: string;
  readonly path: string;
  readonly purpose: Purpose;
  /** Without the client's own retries. */
  readonly attempt: number;
}

interface RunStarted extends Pick<Plan, "stack" | "baseUrl" | "commit" | "toolVersion"> {
  readonly event: "run-started";
  readonly plan: string;
  readonly by?: string;
  readonly operations: number;
  readonly concurrency: number;
}

/** It never holds a body or a secret. */
export type EventBody =
  | RunStarted
  | (Does & { readonly event: "operation-started" })
  | (Attempt & { readonly event: "request" })
  | (Attempt &
      Pick<OperationResult, "resourceId" | "error"> & { readonly event: "response"; readonly status: number | null })
  /** `settling`: before a refusal is retried. */
  | (About & { readonly event: "waiting"; readonly reason: "settling" | "lookup"; readonly milliseconds: number })
  /** For what a create of unknown outcome may have created. */
  | (About & { readonly event: "lookup"; readonly found: readonly string[]; readonly error: string | null })
  | (About & { readonly event: "restored"; readonly restored: boolean; readonly error: string | null })
  | (Does &
      Pick<OperationOutcome, "status" | "httpStatus" | "resourceId" | "error"> & { readonly event: "operation-ended" })
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

export function createEmitter({ clock, onEvent }: EventSink, onFailure: (error: unknown) => void) {
  let pending: Promise<unknown> = Promise.resolve();
  return {
    flushed: () => pending,
    emit: async (body: EventBody): Promise<boolean> => {
      try {
        const recorded = onEvent({ time: new Date(clock.now()).toISOString(), ...body });
        if (recorded !== undefined) pending = Promise.allSettled([pending, recorded]);
        await recorded;
        return true;
      } catch (error) {
        onFailure(error);
        return false;
      }
    },
  };
}
