import type { CommonFlags, PlanFlags } from "./support/flags.js";
import type { GuardedIo } from "./support/io.js";
import { writePlan } from "./support/output.js";
import { readPlan } from "./support/read-plan.js";

/** `show PLANFILE`: renders a saved plan. Needs neither service, key nor configuration. */
export async function showCommand(
  file: string,
  flags: CommonFlags & Pick<PlanFlags, "compact">,
  io: GuardedIo,
): Promise<number> {
  const plan = await readPlan(file, io.cwd);
  await writePlan(plan, flags, io, io.cwd);
  return 0;
}
