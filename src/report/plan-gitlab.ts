import type { Plan } from "../plan/plan-format.js";

/**
 * The counts that a merge request widget shows (report type `terraform`). A replacement counts as a create and a
 * delete, as it does there; adopting and orphaning change a resource, so they count as updates.
 */
export function renderPlanGitlab(plan: Plan): string {
  const { create, update, replace, delete: deleted, adopt, orphan } = plan.summary;
  return `${JSON.stringify({ create: create + replace, update: update + adopt + orphan, delete: deleted + replace })}\n`;
}
