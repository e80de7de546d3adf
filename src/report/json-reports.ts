import type { Result } from "../apply/result.js";
import type { Diagnostic } from "../diagnostics/diagnostic.js";
import type { Drift } from "../plan/drift-findings.js";
import type { Inventory } from "../plan/inventory.js";
import type { Plan, ShownCommit } from "../plan/plan-format.js";
import { safeJson } from "../text/safe-json.js";

/** A plan as JSON (schemas/plan.schema.json), on several lines. */
export function renderPlanJson(plan: Plan): string {
  return safeJson(plan);
}

/** A result as JSON (schemas/result.schema.json), on several lines. */
export function renderResultJson(result: Result): string {
  return safeJson(result);
}

/** Drift as JSON (schemas/drift.schema.json), on several lines. */
export function renderDriftJson(drift: Drift): string {
  return safeJson(drift);
}

/** What is live as JSON (schemas/list.schema.json), on several lines. */
export function renderListJson(inventory: Inventory): string {
  return safeJson(inventory);
}

/** `edgewise.diagnostics/v1`, with the remedy beside the message. */
export function renderDiagnosticsJson(diagnostics: readonly Diagnostic[], shown: ShownCommit | null = null): string {
  return safeJson({
    format: "edgewise.diagnostics/v1",
    ...shown,
    diagnostics: diagnostics.map(({ address, code, column, file, line, message, remedy, severity }) => ({
      severity,
      code,
      message,
      remedy,
      file,
      line,
      column,
      ...(address === null ? {} : { address }),
    })),
  });
}

/**
 * The counts that a merge request widget shows (report type `terraform`). A replacement counts as a create and a
 * delete, as it does there; adopting and orphaning change a resource, so they count as updates.
 */
export function renderPlanGitlab(plan: Plan): string {
  const { create, update, replace, delete: deleted, adopt, orphan } = plan.summary;
  return `${JSON.stringify({ create: create + replace, update: update + adopt + orphan, delete: deleted + replace })}\n`;
}
