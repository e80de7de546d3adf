import type { GuardedIo } from "./support/io.js";
import { writePlan } from "./support/output.js";
import { readPlan } from "./support/read-plan.js";
import {
  planFormats,
  addExamples,
  addSharedOptions,
  type DefineCommand,
  type PlanFlags,
} from "./support/command-options.js";

export const define: DefineCommand = (command, run) => {
  command.argument("<planfile>", "a plan saved with --out");
  command.description("Shows a saved plan. Needs neither the service nor the manifests.");
  addSharedOptions(command, planFormats, "compact");
  addExamples(command, [["edgewise show plan.json -o markdown", "for a comment on a pull request"]]);
  command.action((file: string, flags: PlanFlags) => run(flags, async (io) => showCommand(file, flags, io)));
};

/** `show PLANFILE`: renders a saved plan. Needs neither service, key nor configuration. */
export async function showCommand(file: string, flags: PlanFlags, io: GuardedIo): Promise<number> {
  const plan = await readPlan(file, io.cwd);
  await writePlan(plan, flags, io, io.cwd);
  return 0;
}
