import type { ShowFlags } from "./support/flags.js";
import { type Io, guarded } from "./support/io.js";
import { renderPlan, writeResult } from "./support/output.js";
import { readPlan } from "./support/read-plan.js";

/** `show PLANFILE`: renders a saved plan. Needs neither service, key nor configuration. */
export async function showCommand(file: string, flags: ShowFlags, io: Io): Promise<number> {
  const plan = await readPlan(file, io.cwd);
  guarded(io).redactor.reveal(plan);
  await writeResult(await renderPlan(plan, flags, io, io.cwd), flags, io);
  return 0;
}
