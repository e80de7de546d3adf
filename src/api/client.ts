import type { JsonObject, Value } from "../json.js";
import type { Redactor } from "../redact/redactor.js";
import type { Secret } from "../secret.js";

export type Method = "GET" | "POST" | "PATCH" | "PUT" | "DELETE";

export interface ApiRequest {
  readonly method: Method;
  /** Relative to the base URL, begins with `/`; ids in it are already percent-encoded. */
  readonly path: string;
  /** Sent as JSON; secrets in it are revealed by the serializer and nowhere else. Absent = no body. */
  readonly body?: Value;
  /**
   * Aborted = what was not carried out so far is not sent any more, and ends as interrupted, be it that it waits for its
   * turn or to be sent again. What may have been carried out is seen through all the same.
   */
  readonly stop?: AbortSignal;
}

export interface ApiResponse {
  readonly status: number;
  /** Parsed JSON with secret members wrapped; null for an empty body. */
  readonly body: Value;
}

/** Reads only, by construction: what `drift`, `export` and `plan` get. */
export interface ReadClient {
  /** The base URL that every request goes to, without a trailing slash. */
  readonly baseUrl: string;
  /** One GET. Answers of 200 and 204 are returned; everything else throws an ApiError. */
  get(path: string): Promise<ApiResponse>;
  /**
   * Every resource of a collection, page after page.
   * @param collection path (`/edges/tls`) and list member (`tls_edges`), specification "Endpoints"
   * @param onPage told the resources of each page when it has come; what takes time waits until the next is asked for
   * @throws ApiError when a page fails; EdgewiseError `list-unbelievable` when an answer can't be trusted
   */
  list(
    collection: { readonly path: string; readonly member: string },
    onPage?: (items: readonly JsonObject[]) => void,
  ): Promise<readonly JsonObject[]>;
  close(): Promise<void>;
}

/** Reads and writes. */
export interface Client extends ReadClient {
  /** One request, with the retries that its method allows. Throws ApiError for everything but 2xx. */
  send(request: ApiRequest): Promise<ApiResponse>;
}

/** What happened to a request: never left; was answered; or nobody can tell. */
export type RequestOutcome = "not-sent" | "answered" | "unknown";

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
