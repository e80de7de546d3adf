import type { Client, Clock } from "../api/client.js";
import type { JsonObject } from "../core/json.js";
import type { Secret } from "../core/secret.js";
import type { Semaphore } from "../core/semaphore.js";
import type { Address, KindName } from "../kinds/names.js";
import type { OperationAction } from "../plan/operation-words.js";
import type { Operation, Plan, WaitReason, Warning } from "../plan/plan-format.js";
import type { OperationOutcome, OperationResult, OperationStatus, Outcome } from "./result.js";

export type ApplyDeps = Readonly<{
  /** Called in order. If it rejects, its request is not sent, and nothing more starts. */
  onEvent: (event: ApplyEvent) => void | Promise<void>;
  clock: Clock;
  /** Never repeats a POST of unknown outcome. */
  client: Pick<Client, "list" | "send">;
  concurrency: number;
  resolveSecret: (reference: string) => Secret;
  /** Aborted = start no further operation; requests in flight finish. */
  signal: AbortSignal;
  hardSignal?: AbortSignal;
  by?: string;
  /** How long a refusal is retried when it may be because of lag. */
  consistencyMs?: number;
  /** How long lists may lag behind writes. */
  settleMs?: number;
  random: () => number;
}>;

export type WaitGraph = Readonly<{
  operations: readonly Operation[];
  indexOf: ReadonlyMap<string, number>;
  waits: readonly (readonly (readonly [before: number, reason: WaitReason])[])[];
}>;

export type CreatedResource = Readonly<{
  id: string;
  addr: string | null;
}>;

export type RunContext = Required<Omit<ApplyDeps, "by">> &
  Readonly<{
    stack: string;
    listKind: (kind: KindName) => Promise<readonly JsonObject[]>;
    graph: WaitGraph;
    secrets: ReadonlyMap<string, Secret>;
    /** Whether the event was recorded; never rejects. */
    emit: (body: EventBody) => Promise<boolean>;
    semaphore: Semaphore;
    does: ReadonlyMap<string, OperationAction>;
    created: Map<Address, CreatedResource>;
    endTimes: number[];
    warnings: Warning[];
  }>;

export type Purpose = "operation" | "restore";

type About = Readonly<{
  op: string;
  address: Address;
}>;

type Does = About & Pick<OperationResult, "kind" | "action" | "module">;

type Attempt = About &
  Readonly<{
    method: string;
    path: string;
    purpose: Purpose;
    attempt: number;
  }>;

type RunStarted = Pick<Plan, "stack" | "baseUrl" | "commit" | "toolVersion"> &
  Readonly<{
    event: "run-started";
    plan: string;
    by?: string;
    operations: number;
    concurrency: number;
  }>;

export type EventBody =
  | RunStarted
  | (Does & { readonly event: "operation-started" })
  | (Attempt & { readonly event: "request" })
  | (Attempt & Pick<OperationResult, "resourceId" | "error"> & Readonly<{ event: "response"; status: number | null }>)
  | (About & Readonly<{ event: "waiting"; reason: "settling" | "lookup"; milliseconds: number }>)
  | (About & Readonly<{ event: "restored"; restored: boolean; error: string | null }>)
  | (Does &
      Pick<OperationOutcome, "status" | "httpStatus" | "resourceId" | "error"> & { readonly event: "operation-ended" })
  | Readonly<{
      event: "stopping";
      reason: "interrupted" | "lock-lost" | "internal-error" | "events-failed";
      message: string;
    }>
  | (Readonly<{ event: "run-ended"; outcome: Outcome }> & { readonly [S in OperationStatus]: number });

/** schemas/journal.schema.json, without `run`. `time` is RFC 3339, UTC. */
export type ApplyEvent = EventBody & { readonly time: string };
