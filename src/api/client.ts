import type { JsonObject, Value } from "../core/json.js";
import type { PageMemory } from "./remembered-pages.js";
import type { RequestWindow } from "./request-window.js";
import type { Redactor } from "../redact.js";
import type { Secret } from "../core/secret.js";

export type Method = "GET" | "POST" | "PATCH" | "PUT" | "DELETE";

export type ApiRequest = Readonly<{
  method: Method;
  /** Below the base URL, from `/` on; ids in it are percent-encoded. */
  path: string;
  /** Sent as JSON, secrets in clear. */
  body?: Value;
  /** Aborted = what waits ends as interrupted. What may have been carried out is retried, to learn its outcome. */
  stop?: AbortSignal;
}>;

export type ApiResponse = Readonly<{
  status: number;
  /** Parsed JSON with secret members wrapped; null for an empty body. */
  body: Value;
}>;

/** Can only read: `drift`, `export` and `plan` get this one. */
export interface ReadClient {
  readonly baseUrl: string;
  /** One GET. Returns responses with 200 or 204 and throws an ApiError for all others. */
  get(path: string): Promise<ApiResponse>;
  /**
   * Every resource of a collection, page after page.
   * @throws ApiError when a page fails; EdgewiseError `list-unbelievable` when a response can't be trusted
   */
  list(collection: Readonly<{ path: string; member: string }>): Promise<readonly JsonObject[]>;
  close(): Promise<void>;
}

export interface Client extends ReadClient {
  /** One request, with the retries that its method allows. Throws an ApiError unless the response is 2xx. */
  send(request: ApiRequest): Promise<ApiResponse>;
}

export type RequestOutcome = "not-sent" | "answered" | "unknown";

export type ClientOptions = Readonly<{
  baseUrl: string;
  apiKey: Secret;
  versionHeader: string;
  concurrency: number;
  /** For one attempt, from the connection to the last byte of the response, in ms. */
  timeoutMs: number;
  deadline?: { readonly ms: number };
  requestsPerMinute: number | null;
  /** Counts the requests and pauses of other clients that have it, too. */
  window?: RequestWindow;
  /** Only `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY` are read from it, in upper or lower case. */
  env: { readonly [variable: string]: string | undefined };
  /** Aborted = requests in flight are cut off, waiting ones are dropped. */
  signal?: AbortSignal;
  trace?: (event: TraceEvent) => void;
  /** Pages that it remembers are asked for side by side. */
  pages?: PageMemory;
  /** Without it no attempt to write is made. Absent = nobody else writes. */
  hold?: WriteHold;
  /** Learns the service's time (ms since the epoch, whole seconds) from every response that has a `Date`. */
  onServiceTime?: (time: number) => void;
  /** Learns every secret that is sent or received, to mask it. */
  redactor?: Redactor;
  clock?: Clock;
  random?: () => number;
}>;

/** The right to write, which may be lost at any time. */
export interface WriteHold {
  /** Passes while it is held; awaited before each attempt. Rejects with the reason otherwise. */
  assertHeld(): Promise<void>;
  /** Looked at when a request goes out: the process may have stood still before. */
  isHeld(): boolean;
}

export interface Clock {
  now(): number;
  /** Ends after `ms`, or at once when the signal aborts. Never throws. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** One attempt of one request. The path is safe to print. */
type TraceSubject = Readonly<{
  /** From 1; retries keep it. */
  request: number;
  attempt: number;
  method: Method;
  path: string;
}>;

/** What the client does, for `--verbose` and progress. Never contains a header, a body or a secret. */
export type TraceEvent =
  | (TraceSubject & { readonly type: "request" })
  | (TraceSubject & Readonly<{ type: "answer"; status: number; ms: number; bytes: number }>)
  | (TraceSubject & Readonly<{ type: "failure"; message: string; ms: number }>)
  | (TraceSubject & Readonly<{ type: "wait"; ms: number; reason: string }>)
  /** Of the remembered pages that were asked for, so many were a part of the list. */
  | Readonly<{ type: "remembered"; path: string; asked: number; counted: number }>
  /** The service limits the rate: all requests pause for `pauseMs`, then at most `concurrency` are in flight. */
  | Readonly<{
      type: "limited";
      concurrency: number;
      pauseMs: number;
      requestsPerMinute: number | null;
    }>;
