import type { ReadClient } from "../api/client.js";
import { refuseToAskNobody, runApply } from "./apply.js";
import { preparePlan, showPlan } from "./support/carry-out.js";
import { type CommandContext, connectReading, loadContext } from "./support/command-context.js";
import type { DestroyFlags } from "./support/flags.js";
import type { Io } from "./support/io.js";
import { savePlan } from "./support/output-files.js";
import { type Planned, makePlanFrom, planOptions } from "./support/planning.js";
import { provenanceOf } from "./support/provenance.js";

/** `destroy`: a plan with nothing desired, under the same guards but `empty-desired`, by the same path as apply. */
export async function destroyCommand(flags: DestroyFlags, plain: Io): Promise<number> {
  // Without a terminal nobody can say no: `--out` then saves the plan for somebody who can say yes.
  const saves = flags.out !== undefined && flags.autoApprove !== true && !plain.stdinIsTerminal;
  if (!saves) refuseToAskNobody(flags, plain);
  const context = await loadContext(flags, plain);
  if (saves) return saveOnly(context, flags);
  return runApply(context, flags, async (client) => preparePlan(await planToDestroy(context, flags, client), client));
}

async function saveOnly(context: CommandContext, flags: DestroyFlags): Promise<number> {
  const client = await connectReading(context, flags);
  try {
    const { plan } = await planToDestroy(context, flags, client);
    if (flags.out !== undefined) await savePlan(plan, flags.out, context);
    if (!context.log.quiet) await showPlan(plan, context, flags);
    return 0;
  } finally {
    await client.close();
  }
}

async function planToDestroy(context: CommandContext, flags: DestroyFlags, client: ReadClient): Promise<Planned> {
  const provenance = await provenanceOf(context, flags, true);
  const options = planOptions(context, flags, [], { provenance, prune: true, destroy: true });
  return makePlanFrom(context, client, [], options);
}
