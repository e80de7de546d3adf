import { loadContext } from "./support/command-context.js";
import { type CommandIo, requireApprover } from "./support/command-io.js";
import { maskedPlan, savePlan, writeFindings } from "./support/output.js";
import { everything, planLive, planOnly } from "./support/planning.js";
import { runApply, showPlan } from "./support/run-apply.js";
import { resultFormats, type Flags, type DefineCommand } from "./support/command-options.js";

export const define: DefineCommand = (command, run) =>
  command
    .description(
      "Deletes everything that the stack owns, with apply's guards: protected resources are refused unless you allow them by name.",
    )
    .shared(resultFormats, "apply exclude out guards compact config ref service concurrency")
    .examples([
      ["edgewise destroy --stack preview-42 --max-deletes 100% --auto-approve", "take down a preview environment"],
      ["edgewise destroy --ref HEAD~1 -c old/edgewise.yaml", "a stack whose configuration was removed"],
    ])
    .action(run(destroy));

async function destroy(io: CommandIo, flags: Flags): Promise<number> {
  const { out } = flags;
  // Without a terminal nobody can say no: the plan is saved for somebody who can say yes.
  if (out !== undefined && !flags.autoApprove && !io.stdinIsTerminal) {
    const { plan, context } = await planOnly(flags, io, everything);
    await savePlan(maskedPlan(plan, io), out, context.io);
    if (!io.log.quiet) showPlan(plan, context);
    return 0;
  }
  requireApprover(flags, io);
  const destroyed = await runApply(await loadContext(flags, io), (own, client) => planLive(own, client, everything));
  return writeFindings(destroyed, io);
}
