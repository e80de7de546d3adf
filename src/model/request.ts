import type { Json } from "../json.js";

/** One request as the model sees it: what HTTP adds (headers, JSON text) was checked before. */
export interface ModelRequest {
  readonly method: string;
  /** Begins with `/`, without the query; ids in it are percent-encoded. */
  readonly path: string;
  /** Query parameters in their order, names repeated when the client repeated them. */
  readonly query?: readonly (readonly [name: string, value: string])[];
  /** Not read by the model. */
  readonly headers?: { readonly [name: string]: string };
  /** Absent = no body. */
  readonly body?: Json;
  /** The base URL that the client used, without a trailing slash; default: that of the world's options. */
  readonly baseUrl?: string;
}

/** The answer: status and JSON body, null for none. */
export interface ModelResponse {
  readonly status: number;
  readonly body: Json;
}
