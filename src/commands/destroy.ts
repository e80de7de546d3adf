import type { ReadClient } from "../api/client.js";
import { type CommandContext, loadContext } from "./support/command-context.js";
import { withReadClient } from "./support/connect.js";
import type { GuardedIo } from "./support/io.js";
import type { Planned } from "./support/planning.js";
import { savePlan } from "./support/output-files.js";
import { planLive } from "./support/planning.js";
import { preparePlan } from "./support/apply-session.js";
import { requireApprover } from "./support/confirm.js";
import { runApply, showPlan } from "./support/run-apply.js";
import {
  addApplyOptions,
  addExamples,
  addGuardOptions,
  addSharedOptions,
  resultFormats,
  type ApplyFlags,
  type DefineCommand,
  excludeOption,
} from "./support/command-options.js";

export const define: DefineCommand = (command, run) => {
  command.description(
    "Deletes everything that the stack owns, with the same guards as apply. Protected resources are refused unless you allow them by name.",
  );
  addApplyOptions(command);
  addGuardOptions(command);
  command
    .optionsGroup("Plan:")
    .option(...excludeOption)
    .option("--out <file>", "save the plan for `edgewise apply <file> --destroy`");
  addSharedOptions(command, resultFormats, "compact", "config", "ref", "service", "concurrency");
  addExamples(command, [
    ["edgewise destroy --stack preview-42 --max-deletes 100% --auto-approve", "take down a preview environment"],
    ["edgewise destroy --ref HEAD~1 -c old/edgewise.yaml", "a stack whose configuration was removed"],
  ]);
  command.action((flags: ApplyFlags) => run(flags, async (io) => destroyCommand(flags, io)));
};

/** `destroy`: applies a plan with no manifests, under the same guards as `apply` except `empty-desired`. */
export async function destroyCommand(flags: ApplyFlags, io: GuardedIo): Promise<number> {
  // Without a terminal nobody can say no: `--out` then saves the plan for somebody who can say yes.
  const savesOnly = flags.out !== undefined && flags.autoApprove !== true && !io.stdinIsTerminal;
  if (!savesOnly) requireApprover(flags, io);
  const context = await loadContext(flags, io);
  if (savesOnly) return saveDestroyPlan(context, flags);
  return runApply(context, flags, async (session) =>
    preparePlan(await planToDestroy(session.context, session.client, flags), session),
  );
}

async function saveDestroyPlan(context: CommandContext, flags: ApplyFlags): Promise<number> {
  return withReadClient(context, flags, async (client) => {
    const { plan } = await planToDestroy(context, client, flags);
    if (flags.out !== undefined) await savePlan(plan, flags.out, context);
    if (!context.log.quiet) await showPlan(plan, context, flags);
    return 0;
  });
}

async function planToDestroy(context: CommandContext, client: ReadClient, flags: ApplyFlags): Promise<Planned> {
  return planLive(context, client, flags, { destroy: true, prune: true });
}
