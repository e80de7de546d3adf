import type { Plan } from "../plan/plan.js";
import type { Context } from "./context.js";
import { writeFileAtomically } from "./write-file-atomically.js";

/** Saves a plan for `apply PLANFILE` (design, "JSON formats"). It holds no secret, but tells much: for the owner only. */
export async function savePlan(plan: Plan, file: string, { io, log }: Context): Promise<void> {
  const { renderPlanJson } = await import("../report/plan-json.js");
  await writeFileAtomically(file, renderPlanJson(plan), io.cwd, 0o600);
  log.info(`The plan is saved in ${file} (${plan.hash}).`, { file, hash: plan.hash });
}
