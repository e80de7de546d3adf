import type { Plan } from "../plan/plan-format.js";
import { safeJson } from "./safe-json.js";

/** A plan as JSON (schemas/plan.schema.json), on several lines. */
export function renderPlanJson(plan: Plan): string {
  return safeJson(plan);
}
