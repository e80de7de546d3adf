import type { JsonObject, Value } from "../json.js";

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
