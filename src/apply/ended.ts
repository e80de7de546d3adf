import type { Value } from "../kinds/value.js";
import type { Failure } from "./failure.js";
import type { OperationResult } from "./result.js";

/** How an operation ended. */
export interface Ended extends Pick<OperationResult, "status" | "httpStatus" | "resourceId" | "error"> {
  /** What the service answered, or holds, when the operation was done. */
  readonly body?: Value;
  /** An error of this program: nothing more should be started. */
  readonly bug?: true;
}

/** The end of an operation whose request did not succeed. */
export function endedBy(failure: Failure, resourceId: string | null): Ended {
  const { fate, status, message } = failure;
  if (failure.interrupted === true) return { ...skipped("skipped: interrupted"), resourceId };
  const doubtful = fate === "unknown" || fate === "bug";
  return {
    status: doubtful ? "unknown" : "failed",
    httpStatus: status,
    resourceId,
    error: doubtful ? `${message}; whether it was done is not known` : message,
    ...(fate === "bug" ? { bug: true } : {}),
  };
}

/** The end of an operation that was never sent. */
export function skipped(error: string): Ended {
  return { status: "skipped", httpStatus: null, resourceId: null, error };
}
