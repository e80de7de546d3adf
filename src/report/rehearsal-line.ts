import type { Plan } from "../plan/plan-format.js";
import { count } from "./count.js";

/** What the rehearsal showed, in a sentence; null when there was none. */
export function rehearsalLine(plan: Plan): string | null {
  if (plan.rehearsal === null) return null;
  const { converges, steps } = plan.rehearsal;
  if (steps === 0 && plan.operations.length === 0) return null;
  return converges
    ? `Rehearsal: ${count(steps, "step")} run against a model of the service; planning again gives nothing.`
    : `Rehearsal: ${count(steps, "step")} run against a model of the service; it did not converge.`;
}
