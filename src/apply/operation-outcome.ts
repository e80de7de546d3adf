import { ApiError } from "../api/api-error.js";
import { EdgewiseError } from "../errors.js";
import type { Value } from "../json.js";
import type { Operation, WaitReason } from "../plan/plan-format.js";
import type { OperationResult, OperationStatus } from "./result.js";

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

/** What became of a request that did not succeed, and what to say about it. */
export interface RequestFailure {
  /**
   * `refused`: answered, and not done. `unknown`: it may have been done (no answer, or one of 408 or 5xx). `bug`: an
   * error of this program; it may have been done.
   */
  readonly outcome: "not-sent" | "refused" | "unknown" | "bug";
  readonly status: number | null;
  /** Holds no secret: the client masks what the service says. */
  readonly message: string;
  /** It was not sent because a signal came first. */
  readonly interrupted?: true;
}

/** Tells the outcome of a request from what the client threw. */
export function failureOf(error: unknown): RequestFailure {
  if (error instanceof ApiError) {
    const { status, message } = error;
    const outcome = error.outcome === "answered" ? "refused" : error.outcome;
    const interrupted = outcome === "not-sent" && error.code === "interrupted";
    return { outcome, status, message, ...(interrupted ? { interrupted } : {}) };
  }
  if (error instanceof EdgewiseError) return { outcome: "unknown", status: null, message: error.message };
  // The message of an unexpected error may hold anything, so only its kind is told.
  const name = error instanceof Error ? error.name : typeof error;
  return { outcome: "bug", status: null, message: `this is an error of edgewise itself (${name})` };
}

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

const because: { readonly [R in WaitReason]: string } = {
  same: "comes before it on the same resource",
  use: "makes what it uses",
  unuse: "was to stop using what it deletes",
  free: "was to free what it takes",
  late: "is needed by the one that would take what this lets go",
  last: "comes before it",
};

/** What became of an operation, in words. */
export const statusInWords: { readonly [S in OperationStatus]: string } = {
  done: "was done",
  failed: "failed",
  skipped: "was skipped",
  unknown: "may or may not have been done",
};

/** How an operation is called in messages: `op-3 (TLSEdge/api)`. */
export function nameOfOperation(operation: Operation): string {
  return `${operation.id} (${operation.address})`;
}

/** Why an operation is not run: another that it needs did not succeed. */
export function skipReason(other: Operation, reason: WaitReason, status: OperationStatus): string {
  return `skipped: ${nameOfOperation(other)}, which ${because[reason]}, ${statusInWords[status]}`;
}
