import type { Json } from "../core/json.js";

/** One request as the model sees it: headers and JSON text were checked before. */
export type ModelRequest = Readonly<{
  method: string;
  /** Begins with `/`, without the query; ids in it are percent-encoded. */
  path: string;
  query?: readonly (readonly [name: string, value: string])[];
  body?: Json;
  /** That the client used, without a trailing slash; default: that of the world's options. */
  baseUrl?: string;
}>;

export type ModelResponse = Readonly<{
  status: number;
  /** Null for none. */
  body: Json;
  /** With a 405. */
  allow?: readonly string[];
}>;

/** The number in `error_code` of each reason; tests of other tools may rely on them. */
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

/** `respond` turns it into an error body. */
export class Rejection extends Error {
  override readonly name = "Rejection";
  readonly status: number;

  /** @param message never holds a value that could be secret */
  constructor(
    readonly code: keyof typeof rejectionNumbers,
    message: string,
    readonly allow?: readonly string[],
  ) {
    super(message);
    this.status = otherStatuses[code] ?? 400;
  }
}

/** @param number null leaves `error_code` out, as a 404 may */
export function errorBody(status: number, number: number | null, msg: string, operationId: string): Json {
  return {
    ...(number === null ? {} : { error_code: `ERR_EDGE_${number}` }),
    status_code: status,
    msg,
    details: { operation_id: operationId },
  };
}
