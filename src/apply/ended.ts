import type { Value } from "../json.js";
import type { RequestFailure } from "./failure.js";
import type { OperationResult } from "./result.js";

/** How an operation ended. */
export interface OperationOutcome extends Pick<OperationResult, "status" | "httpStatus" | "resourceId" | "error"> {
  /** What the service answered, or holds, when the operation was done. */
  readonly body?: Value;
  /** An error of this program: nothing more should be started. */
  readonly bug?: true;
}

/** The end of an operation whose request did not succeed. */
export function outcomeOfFailure(failure: RequestFailure, resourceId: string | null): OperationOutcome {
  const { outcome, status, message } = failure;
  if (failure.interrupted === true) return { ...skipped("skipped: interrupted"), resourceId };
  const doubtful = outcome === "unknown" || outcome === "bug";
  return {
    status: doubtful ? "unknown" : "failed",
    httpStatus: status,
    resourceId,
    error: doubtful ? `${message}; whether it was done is not known` : message,
    ...(outcome === "bug" ? { bug: true } : {}),
  };
}

/** The end of an operation that was never sent. */
export function skipped(error: string): OperationOutcome {
  return { status: "skipped", httpStatus: null, resourceId: null, error };
}
