import type { OperationResult, OperationStatus, Outcome } from "./result.js";

/** How many operations ended in each way. */
export function countStatuses(operations: readonly Pick<OperationResult, "status">[]): {
  readonly [S in OperationStatus]: number;
} {
  const counts = { done: 0, failed: 0, skipped: 0, unknown: 0 };
  for (const { status } of operations) counts[status] += 1;
  return counts;
}

/** What the operations come to. `failed` promises that nothing was changed, so what is unknown counts as changed. */
export function outcomeOf(operations: readonly Pick<OperationResult, "status">[]): Outcome {
  const { done, unknown } = countStatuses(operations);
  if (operations.length === 0) return "nothing";
  if (done === operations.length) return "applied";
  return done + unknown > 0 ? "partial" : "failed";
}
