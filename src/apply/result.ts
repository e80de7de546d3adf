import type { Address } from "../kinds/names.js";
import type { OperationKind, Refusal, Warning } from "../plan/plan-format.js";

/** What became of one operation. `unknown`: sent, and nothing tells whether it was done. */
export type OperationStatus = "done" | "failed" | "skipped" | "unknown";

export interface OperationResult {
  readonly id: string;
  readonly address: Address;
  readonly kind: OperationKind;
  readonly status: OperationStatus;
  readonly httpStatus: number | null;
  /** The id of what was made or changed, when known. */
  readonly resourceId: string | null;
  /** What went wrong (status, error_code, msg, operation_id of the service) or why it was skipped. Never a secret. */
  readonly error: string | null;
}

export type Outcome = "applied" | "nothing" | "partial" | "refused" | "failed";

/** What an apply did (schemas/result.schema.json). */
export interface Result {
  readonly format: "edgewise.result/v1";
  readonly stack: string;
  readonly outcome: Outcome;
  /** Whether listing and planning again gave nothing; null when it was not tried. */
  readonly verified: boolean | null;
  readonly operations: readonly OperationResult[];
  readonly refusals: readonly Refusal[];
  readonly warnings: readonly Warning[];
  /** Whether a signal ended the run early. */
  readonly interrupted: boolean;
}
