import type { CommandIo } from "./support/command-io.js";
import { type DefineCommand, type Flags, planFormats } from "./support/command-options.js";
import { maskedPlan, writeFindings } from "./support/output.js";
import { readPlan } from "./support/saved-plan.js";

export const define: DefineCommand = (command, run) =>
  command
    .argument("<planfile>", "a plan saved with --out")
    .description("Shows a saved plan. Needs neither the service nor the manifests.")
    .shared(planFormats, "compact")
    .examples([["edgewise show plan.json -o markdown", "for a comment on a pull request"]])
    .action(run(show));

async function show(io: CommandIo, file: string, { compact }: Flags): Promise<number> {
  return writeFindings({ exit: 0, plan: maskedPlan(await readPlan(file, io.cwd), io) }, io, compact);
}
