import type { Client, Clock } from "../api/client.js";
import type { JsonObject } from "../json.js";
import type { Address } from "../kinds/names.js";
import type { Secret } from "../secret.js";
import type { ApplyEvent } from "./events.js";

/** A live resource that carries a marker which was looked for. */
export interface Found {
  readonly id: string;
  readonly wire: JsonObject;
}

/** Every live resource that carries this stack's marker for an address, whatever it replaces. Throws as the client does. */
export type FindByMarker = (address: Address) => Promise<readonly Found[]>;

/** Everything that an apply needs of the world. */
export interface ApplyDeps {
  /** Retries what may be repeated by itself; never a POST whose outcome is unknown. */
  readonly client: Client;
  /** Operations in flight at one time, at least 1. */
  readonly concurrency: number;
  /** The secret that a reference (`TLSCertificate/x#private_key_pem`) stands for. */
  readonly resolveSecret: (reference: string) => Secret;
  readonly findByMarker: FindByMarker;
  /** Aborted = start nothing more; what is in flight finishes. */
  readonly signal: AbortSignal;
  /** Aborted = send nothing at all any more. The client is expected to abort what it has in flight by the same signal. */
  readonly hardSignal?: AbortSignal;
  /** Whether the first failure ends the scheduling. */
  readonly failFast: boolean;
  /**
   * Told of everything, in order. A promise is waited for before a request is sent, so that a journal is on disk by
   * then; when it rejects (or the function throws), nothing more is started.
   */
  readonly onEvent: (event: ApplyEvent) => void | Promise<void>;
  readonly clock: Clock;
  /** How long a refusal of something that uses what this run made or freed is retried, in milliseconds. Default 30 000. */
  readonly settleMs?: number;
  /** Between 0 and 1, for jitter. */
  readonly random: () => number;
}
