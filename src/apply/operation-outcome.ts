import { ApiError } from "../api/api-error.js";
import type { RequestOutcome } from "../api/client.js";
import { EdgewiseError } from "../core/errors.js";
import type { Value } from "../core/json.js";
import type { Operation, WaitReason } from "../plan/plan-format.js";
import type { OperationResult, OperationStatus } from "./result.js";

export interface OperationOutcome extends Pick<OperationResult, "status" | "httpStatus" | "resourceId" | "error"> {
  /** The response, or the resource that was found, when the operation was done. */
  readonly body?: Value;
  /** An error of this program: no further operation should start. */
  readonly bug?: true;
}

export function done(httpStatus: number | null, resourceId: string | null, body?: Value): OperationOutcome {
  return { status: "done", httpStatus, resourceId, error: null, ...(body === undefined ? {} : { body }) };
}

export function skipped(error: string): OperationOutcome {
  return { status: "skipped", httpStatus: null, resourceId: null, error };
}

/** The client's own messages may say so already. */
const uncertainty = "it may or may not have been applied";

export function outcomeOfFailure(failure: RequestFailure, resourceId: string | null): OperationOutcome {
  const { outcome, status, message } = failure;
  if (failure.interrupted === true) return { ...skipped("skipped: interrupted"), resourceId };
  const uncertain = outcome === "unknown" || outcome === "bug";
  return {
    status: uncertain ? "unknown" : "failed",
    httpStatus: status,
    resourceId,
    error: uncertain && !message.includes(uncertainty) ? `${message}; ${uncertainty}` : message,
    ...(outcome === "bug" ? { bug: true } : {}),
  };
}

export interface RequestFailure {
  /** `answered`: the service refused it. `bug`: an error of this program; it may have been done. */
  readonly outcome: RequestOutcome | "bug";
  readonly status: number | null;
  readonly message: string;
  /** It was not sent because a signal came first. */
  readonly interrupted?: boolean;
}

export function failureOf(error: unknown): RequestFailure {
  if (error instanceof ApiError) {
    const { code, message, outcome, status } = error;
    return { outcome, status, message, interrupted: outcome === "not-sent" && code === "interrupted" };
  }
  if (error instanceof EdgewiseError) return { outcome: "unknown", status: null, message: error.message };
  // The message of an unexpected error may hold anything, so only its name is shown.
  const name = error instanceof Error ? error.name : typeof error;
  return { outcome: "bug", status: null, message: `this is an error of edgewise itself (${name})` };
}

export const statusInWords: { readonly [S in OperationStatus]: string } = {
  done: "was done",
  failed: "failed",
  skipped: "was skipped",
  unknown: "may or may not have been done",
};

const roleOf: { readonly [R in WaitReason]: string } = {
  same: "comes before it on the same resource",
  use: "creates what it uses",
  unuse: "should have stopped using what it deletes",
  free: "should have released what it takes",
  late: "is needed by the operation that would take what this one releases",
  last: "comes before it",
};

export function skipReason(other: Operation, reason: WaitReason, status: OperationStatus): string {
  return `skipped: ${nameOfOperation(other)}, which ${roleOf[reason]}, ${statusInWords[status]}`;
}

/** `op-3 (TLSEdge/api)` */
export function nameOfOperation({ address, id }: Operation): string {
  return `${id} (${address})`;
}
