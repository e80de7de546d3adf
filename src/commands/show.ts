import { guarded } from "./guarded-io.js";
import type { Io } from "./io.js";
import type { ShowFlags } from "./plan-flags.js";
import { readPlan } from "./read-plan.js";
import { renderPlan } from "./render-plan.js";
import { writeResult } from "./write-result.js";

/** `show PLANFILE`: renders a saved plan. Needs neither service, key nor configuration. */
export async function showCommand(file: string, flags: ShowFlags, io: Io): Promise<number> {
  const plan = await readPlan(file, io.cwd);
  guarded(io).redactor.reveal(plan);
  await writeResult(await renderPlan(plan, flags, io, io.cwd), flags, io);
  return 0;
}
