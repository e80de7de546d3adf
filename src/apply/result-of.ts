import type { Operation } from "../plan/plan-format.js";
import type { OperationOutcome } from "./ended.js";
import type { OperationResult } from "./result.js";

/**
 * The line of a result for one operation.
 * @param place where its manifest stands, in brackets, or ""
 */
export function operationResult(operation: Operation, ended: OperationOutcome, place: string): OperationResult {
  const { id, address, kind } = operation;
  const { status, httpStatus, resourceId, error } = ended;
  const failed = status === "failed" || status === "unknown";
  const words = error !== null && failed ? `${error}${place}` : error;
  return { id, address, kind, status, httpStatus, resourceId, error: words };
}
