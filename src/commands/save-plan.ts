import type { Plan } from "../plan/plan-format.js";
import type { CommandContext } from "./context.js";
import { maskedPlan } from "./masked-plan.js";
import { writeOutput } from "./write-output.js";

/**
 * Saves a plan for `apply PLANFILE`, masked like every output: what is live may repeat a secret. It reveals much besides,
 * so only its owner may read it.
 */
export async function savePlan(plan: Plan, file: string, { io, log }: CommandContext): Promise<void> {
  const { renderPlanJson } = await import("../report/safe-json.js");
  const saved = await maskedPlan(plan, io);
  io.redactor.reveal(saved.hash);
  await writeOutput(file, renderPlanJson(saved), io);
  log.info(`The plan is saved in ${file} (${saved.hash}).`, { file, hash: saved.hash });
}
