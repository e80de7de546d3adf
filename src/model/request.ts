import type { Json } from "../core/json.js";

/** One request as the model sees it: what HTTP adds (headers, JSON text) was checked before. */
export interface ModelRequest {
  readonly method: string;
  /** Begins with `/`, without the query; ids in it are percent-encoded. */
  readonly path: string;
  /** Query parameters in their order, names repeated when the client repeated them. */
  readonly query?: readonly (readonly [name: string, value: string])[];
  readonly body?: Json;
  /** The base URL that the client used, without a trailing slash; default: that of the world's options. */
  readonly baseUrl?: string;
}

/** The answer: status and JSON body, null for none. */
export interface ModelResponse {
  readonly status: number;
  readonly body: Json;
  /** With a 405: the methods that the path has. */
  readonly allow?: readonly string[];
}

/** Why a request is refused, and the number in its `error_code`. Stable: tests of other tools may rely on them. */
export const rejectionNumbers = {
  "body-unexpected": 101,
  "body-missing": 102,
  "body-empty": 103,
  "member-unknown": 104,
  "member-missing": 105,
  "value-type": 106,
  "value-invalid": 107,
  "value-too-long": 108,
  "query-invalid": 109,
  "reference-unknown": 110,
  "still-referenced": 111,
  "claim-taken": 112,
  "module-conflict": 113,
  "certificate-invalid": 114,
  "method-not-allowed": 116,
  "not-found": 117,
} as const;

const otherStatuses: { readonly [code: string]: number } = {
  "claim-taken": 409,
  "method-not-allowed": 405,
  "not-found": 404,
};

/** The model's way out of a request that is not acceptable; `respond` turns it into an error body. */
export class Rejection extends Error {
  override readonly name = "Rejection";
  readonly status: number;

  /** @param message for people: what, where, why. Never holds a value that could be secret. */
  constructor(
    readonly code: keyof typeof rejectionNumbers,
    message: string,
    readonly allow?: readonly string[],
  ) {
    super(message);
    this.status = otherStatuses[code] ?? 400;
  }
}

/**
 * The body of an error answer, in the shape that services of this family use.
 * @param number the part of `error_code` that stands for the reason; null leaves `error_code` out, as a 404 may
 */
export function errorBody(status: number, number: number | null, msg: string, operationId: string): Json {
  return {
    ...(number === null ? {} : { error_code: `ERR_EDGE_${number}` }),
    status_code: status,
    msg,
    details: { operation_id: operationId },
  };
}
