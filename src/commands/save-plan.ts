import type { Plan } from "../plan/plan.js";
import type { Context } from "./context.js";
import { writeOutput } from "./write-output.js";

/** Saves a plan for `apply PLANFILE`. */
export async function savePlan(plan: Plan, file: string, { io, log }: Context): Promise<void> {
  const { renderPlanJson } = await import("../report/plan-json.js");
  await writeOutput(file, renderPlanJson(plan), io);
  log.info(`The plan is saved in ${file} (${plan.hash}).`, { file, hash: plan.hash });
}
