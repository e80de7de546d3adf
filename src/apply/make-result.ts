import type { Plan } from "../plan/plan-format.js";
import type { ApplyReport } from "./apply-report.js";
import type { Result } from "./result.js";
import type { Verification } from "./verify.js";

/** The result of an apply as it is reported (schemas/result.schema.json). `verification` is null when it was not tried. */
export function makeResult(plan: Plan, report: ApplyReport, verification: Verification | null): Result {
  return {
    format: "edgewise.result/v1",
    stack: plan.stack,
    outcome: report.outcome,
    verified: verification?.verified ?? null,
    operations: report.operations,
    refusals: report.outcome === "refused" ? plan.refusals : [],
    warnings: [...report.warnings, ...(verification?.warnings ?? [])],
    interrupted: report.interrupted,
  };
}
