import type { Plan } from "../../plan/plan-format.js";
import { shownPlan } from "../../plan/shown-plan.js";
import type { LoadedStack } from "./load-stack.js";
import { type Sight, planWithOrigins } from "./look-at-stack.js";
import type { Pass } from "./pass.js";
import type { SightLook } from "./settle-stack.js";

/** Keeps the plan of the last look for whoever wants to see what waits. */
export async function keepPlan({ deps, memo }: Pass, { due, loaded }: SightLook, sight: Sight): Promise<void> {
  const { plan } = sight;
  const { record, target } = due;
  const isEmpty = plan.changes.length === 0 && plan.refusals.length === 0;
  // Thousands of stacks at rest have no plan, and had none.
  if (isEmpty && record?.status.state === "synced") return;
  if (record === null) memo.plans.forget(target.name);
  const kept = isEmpty || loaded === null ? null : toldPlan(sight, loaded);
  await memo.plans.keep(target.name, kept, () => deps.store.savePlan(target.name, kept));
}

/** The plan as it may be kept and shown, with who made each change necessary. */
function toldPlan(sight: Sight, { redactor }: LoadedStack): Plan {
  return shownPlan(planWithOrigins(sight), (text) => redactor.redact(text));
}
