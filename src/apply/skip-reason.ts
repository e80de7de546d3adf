import type { Operation, WaitReason } from "../plan/plan-format.js";
import type { OperationStatus } from "./result.js";

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
