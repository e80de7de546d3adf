import type { JsonObject, Value } from "../core/json.js";
import type { PageStore } from "./remembered-pages.js";
import type { RequestWindow } from "./request-window.js";
import type { Redactor } from "../redact.js";
import type { Secret } from "../core/secret.js";

export type Method = "GET" | "POST" | "PATCH" | "PUT" | "DELETE";

export type ApiRequest = Readonly<{
  method: Method;
  /** Below the base URL, from `/` on; ids in it are percent-encoded. */
  path: string;
  body?: Value;
  /** Aborted = what waits ends as interrupted. What may have been done is retried, to learn its outcome. */
  stop?: AbortSignal;
}>;

export type ApiResponse = Readonly<{
  status: number;
  /** JSON with secret members wrapped; null for an empty body. */
  body: Value;
}>;

export interface ReadClient {
  readonly baseUrl: string;
  /** Throws an ApiError unless the response is 200 or 204. */
  get(path: string): Promise<ApiResponse>;
  /** Every resource of a collection. @throws ApiError; EdgewiseError `list-unbelievable` */
  list(collection: Readonly<{ path: string; member: string }>): Promise<readonly JsonObject[]>;
  close(): Promise<void>;
}

export interface Client extends ReadClient {
  /** With the retries that its method allows. Throws an ApiError unless the response is 2xx. */
  send(request: ApiRequest): Promise<ApiResponse>;
}

export type RequestOutcome = "not-sent" | "answered" | "unknown";

export type ClientOptions = Readonly<{
  baseUrl: string;
  apiKey: Secret;
  versionHeader: string;
  concurrency: number;
  /** Of one attempt, up to the last byte. */
  timeoutMs: number;
  deadline?: { readonly ms: number };
  requestsPerMinute: number | null;
  window?: RequestWindow;
  /** Read: `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`, in either case. */
  env: { readonly [variable: string]: string | undefined };
  /** Aborted = requests in flight are cut off, waiting ones dropped. */
  signal?: AbortSignal;
  trace?: (event: TraceEvent) => void;
  pages?: PageStore;
  /** Absent = nobody else writes. */
  hold?: WriteHold;
  /** Gets the `Date` of every response, in ms. */
  onServiceTime?: (time: number) => void;
  /** Learns every secret that is sent or received. */
  redactor?: Redactor;
  clock?: Clock;
  random?: () => number;
}>;

export interface WriteHold {
  /** Rejects with the reason when it is lost. */
  assertHeld(): Promise<void>;
  /** When a request goes out: the process may have stood still before. */
  isHeld(): boolean;
}

export interface Clock {
  now(): number;
  /** Ends early when the signal aborts. Never throws. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

type TraceSubject = Readonly<{
  request: number;
  attempt: number;
  method: Method;
  path: string;
}>;

/** For `--verbose` and progress: never a header, a body or a secret. */
export type TraceEvent =
  | (TraceSubject & { readonly type: "request" })
  | (TraceSubject & Readonly<{ type: "answer"; status: number; ms: number; bytes: number }>)
  | (TraceSubject & Readonly<{ type: "failure"; message: string; ms: number }>)
  | (TraceSubject & Readonly<{ type: "wait"; ms: number; reason: string }>)
  | Readonly<{ type: "remembered"; path: string; asked: number; counted: number }>
  /** All requests pause, then at most `concurrency` are in flight. */
  | Readonly<{
      type: "limited";
      concurrency: number;
      pauseMs: number;
      requestsPerMinute: number | null;
    }>;
