import type { Plan } from "../plan/plan-format.js";
import type { GuardedIo } from "./guarded-io.js";

/** A plan as its JSON reads with every known secret masked, and with the checksum of that; the same when there is none. */
export async function maskedPlan(plan: Plan, { mask }: Pick<GuardedIo, "mask">): Promise<Plan> {
  const { renderPlanJson } = await import("../report/safe-json.js");
  const text = renderPlanJson(plan);
  const shown = mask(text);
  if (shown === text) return plan;
  const masked = planOf(JSON.parse(shown));
  const { hashPlan } = await import("../plan/canonical-json.js");
  return { ...masked, hash: hashPlan(masked) };
}

/** A plan's own JSON, read back: masking changes texts alone. */
function planOf(value: unknown): Plan {
  return value as Plan;
}
