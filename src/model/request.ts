import type { Json } from "../core/json.js";

export type ModelRequest = Readonly<{
  method: string;
  /** Without the query; ids in it are percent-encoded. */
  path: string;
  query?: readonly (readonly [name: string, value: string])[];
  body?: Json;
  /** That the client used; default: the world's. */
  baseUrl?: string;
}>;

export type ModelResponse = Readonly<{
  status: number;
  body: Json;
  allow?: readonly string[];
}>;

/** In `error_code`; tests of other tools may rely on them. */
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

export class Rejection extends Error {
  override readonly name = "Rejection";
  readonly status: number;

  constructor(
    readonly code: keyof typeof rejectionNumbers,
    message: string,
    readonly allow?: readonly string[],
  ) {
    super(message);
    this.status = otherStatuses[code] ?? 400;
  }
}

export function errorBody(status: number, number: number | null, msg: string, operationId: string): Json {
  return {
    ...(number === null ? {} : { error_code: `ERR_EDGE_${number}` }),
    status_code: status,
    msg,
    details: { operation_id: operationId },
  };
}
