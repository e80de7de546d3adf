import type { Secret } from "../secret.js";
import type { Method } from "./client.js";
import type { Redactor } from "./redact.js";

/** What a client needs to know. Everything that varies comes from here: nothing is read from the process. */
export interface ClientOptions {
  /** Without query or userinfo; a path is kept, a trailing slash dropped. */
  readonly baseUrl: string;
  readonly apiKey: Secret;
  /** The header that carries the version, specification "Versioning": `Service-Version`, or the service's own name. */
  readonly versionHeader: string;
  /** How many requests may be in flight, reads included. */
  readonly concurrency: number;
  /** For one attempt, from the connection to the last byte of the answer, in ms. */
  readonly timeoutMs: number;
  /** For everything that the client does, counted from its creation. */
  readonly deadline?: { readonly ms: number };
  /** How many requests any minute may hold; null = no ceiling. */
  readonly requestsPerMinute: number | null;
  /** `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY` are read from it, in either case; everything else is ignored. */
  readonly env: { readonly [variable: string]: string | undefined };
  /** Hard stop: what is in flight is cut off, what waits is dropped. */
  readonly signal?: AbortSignal;
  readonly trace?: (event: TraceEvent) => void;
  /** Learns every secret that is sent or received, and masks them; the commands' own when given. */
  readonly redactor?: Redactor;
  readonly clock?: Clock;
  /** From 0 to below 1; `Math.random` unless given. */
  readonly random?: () => number;
}

/** Time in ms since the epoch, and waiting. */
export interface Clock {
  now(): number;
  /** Ends after `ms`, or at once when the signal aborts. Never throws. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** One attempt of one request, the same in every event about it. Paths are masked and fit to print. */
export interface TraceSubject {
  /** Counts the requests of the client, from 1; retries keep the number. */
  readonly request: number;
  /** From 1. */
  readonly attempt: number;
  readonly method: Method;
  readonly path: string;
}

/** What the client does, for `--verbose` and progress. Holds no header, no body and no secret. */
export type TraceEvent =
  | (TraceSubject & { readonly type: "request" })
  | (TraceSubject & { readonly type: "answer"; readonly status: number; readonly ms: number; readonly bytes: number })
  | (TraceSubject & { readonly type: "failure"; readonly message: string; readonly ms: number })
  /** It is tried again after `ms`. */
  | (TraceSubject & { readonly type: "wait"; readonly ms: number; readonly reason: string })
  /** The service limits the rate: everybody pauses for `pauseMs`, then at most `concurrency` go on at a time. */
  | {
      readonly type: "limited";
      readonly concurrency: number;
      readonly pauseMs: number;
      readonly requestsPerMinute: number | null;
    };
