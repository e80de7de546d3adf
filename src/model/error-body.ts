import type { Json } from "../json.js";

/**
 * The body of an error answer, in the shape that services of this family use.
 * @param number the part of `error_code` that tells the reason; null leaves `error_code` out, as a 404 may
 */
export function errorBody(status: number, number: number | null, msg: string, operationId: string): Json {
  return {
    ...(number === null ? {} : { error_code: `ERR_EDGE_${number}` }),
    status_code: status,
    msg,
    details: { operation_id: operationId },
  };
}
