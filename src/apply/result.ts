import type { Value } from "../core/json.js";
import type { Address } from "../kinds/names.js";
import type { OperationAction } from "../plan/operation-words.js";
import {
  type Operation,
  type OperationKind,
  type Plan,
  type Refusal,
  type Warning,
  shownCommit,
} from "../plan/plan-format.js";

/** `unknown`: it was sent, and it may or may not have been done. */
export type OperationStatus = "done" | "failed" | "skipped" | "unknown";

export type OperationResult = Partial<OperationAction> &
  Readonly<{
    id: string;
    address: Address;
    kind: OperationKind;
    status: OperationStatus;
    httpStatus: number | null;
    resourceId: string | null;
    /** Never holds a secret. */
    error: string | null;
  }>;

export type OperationOutcome = Pick<OperationResult, "status" | "httpStatus" | "resourceId" | "error"> &
  Readonly<{
    body?: Value;
    bug?: true;
  }>;

export function done(httpStatus: number | null, resourceId: string | null, body?: Value): OperationOutcome {
  return { status: "done", httpStatus, resourceId, error: null, ...(body !== undefined && { body }) };
}

export function skipped(error: string): OperationOutcome {
  return { status: "skipped", httpStatus: null, resourceId: null, error };
}

export const statusInWords: { readonly [S in OperationStatus]: string } = {
  done: "was done",
  failed: "failed",
  skipped: "was skipped",
  unknown: "may or may not have been done",
};

export function nameOfOperation({ address, id }: Operation): string {
  return `${id} (${address})`;
}

export type Outcome = "applied" | "nothing" | "partial" | "refused" | "failed";

export type Result = Readonly<{
  format: "edgewise.result/v1";
  stack: string;
  outcome: Outcome;
  /** A second plan was empty; null without one. */
  verified: boolean | null;
  operations: readonly OperationResult[];
  refusals: readonly Refusal[];
  warnings: readonly Warning[];
  /** A signal ended the run early. */
  interrupted: boolean;
  commit?: string;
  ref?: string;
}>;

export type ApplyReport = Pick<Result, "outcome" | "operations" | "warnings" | "interrupted">;

export function makeResult(plan: Plan, report: ApplyReport, verification: Verification | null): Result {
  return {
    format: "edgewise.result/v1",
    stack: plan.stack,
    outcome: report.outcome,
    verified: verification?.verified ?? null,
    operations: report.operations,
    refusals: report.outcome === "refused" ? plan.refusals : [],
    warnings: [...report.warnings, ...(verification?.warnings ?? [])],
    interrupted: report.interrupted || verification?.verified === null,
    ...shownCommit(plan),
  };
}

export function isTrouble(status: OperationStatus): boolean {
  return status === "failed" || status === "unknown";
}

export function mayBeDone(status: OperationStatus | undefined): boolean {
  return status === "done" || status === "unknown";
}

export function countStatuses(operations: readonly Pick<OperationResult, "status">[]) {
  const counts: Record<OperationStatus, number> = { done: 0, failed: 0, skipped: 0, unknown: 0 };
  for (const { status } of operations) counts[status] += 1;
  return counts;
}

/** `failed` promises that nothing was changed: `unknown` counts as changed. */
export function outcomeOf(
  operations: readonly Pick<OperationResult, "status">[],
  warnings: readonly Warning[] = [],
): Outcome {
  const { done, unknown } = countStatuses(operations);
  if (operations.length === 0) return "nothing";
  if (done === operations.length) return "applied";
  const isChanged = warnings.some(({ code }) => code === "changed-meanwhile");
  return isChanged || done + unknown > 0 ? "partial" : "failed";
}

export function exitCodeOf(result: Pick<Result, "outcome" | "verified" | "interrupted">): 0 | 1 | 3 | 4 | 130 {
  const { outcome, verified, interrupted } = result;
  if (outcome === "refused") return 4;
  if (outcome === "partial") return 3;
  if (outcome === "applied") return interrupted || verified === false ? 3 : 0;
  if (interrupted) return 130;
  return outcome === "failed" || verified === false ? 1 : 0;
}

export type Verification = Readonly<{
  verified: boolean | null;
  warnings: readonly Warning[];
}>;
