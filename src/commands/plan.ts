import { loadContext } from "./support/command-context.js";
import { withReadClient } from "./support/connect.js";
import type { AllFlags, PlanFlags } from "./support/flags.js";
import type { GuardedIo } from "./support/io.js";
import { savePlan } from "./support/output-files.js";
import { planRenderer, writePlan } from "./support/output.js";
import { exitCodeOfPlan, planLive } from "./support/planning.js";

/** `plan`: computes, rehearses and shows the changes. Writes nothing to the service. */
export async function planCommand(flags: PlanFlags & AllFlags, guardedIo: GuardedIo): Promise<number> {
  if (flags.all === true || flags.changedSince !== undefined) {
    const { forAllStacks, refuseChangedSince } = await import("./support/all-stacks.js");
    refuseChangedSince(flags);
    return forAllStacks({ command: "plan", flags, io: guardedIo, one: planCommand });
  }
  const context = await loadContext(flags, guardedIo);
  const { config, io } = context;
  return withReadClient(context, flags, async (client) => {
    const { plan } = await planLive(context, client, flags, {
      whileListing: async () => planRenderer(flags, io, config.root),
    });
    if (flags.out !== undefined) await savePlan(plan, flags.out, context);
    await writePlan(plan, flags, io, config.root);
    return exitCodeOfPlan(plan, flags);
  });
}
