import { loadContext } from "./support/command-context.js";
import type { CommandIo } from "./support/command-io.js";
import { withReadClient } from "./support/connect.js";
import { savePlan } from "./support/output.js";
import { planLive } from "./support/planning.js";
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
  command.action(run(destroyCommand));
};

/** `destroy`: applies a plan with no manifests, under the same guards as `apply` except `empty-desired`. */
export async function destroyCommand(io: CommandIo, flags: ApplyFlags): Promise<number> {
  const { out } = flags;
  // Without a terminal nobody can say no: `--out` then saves the plan for somebody who can say yes.
  const savesOnly = out !== undefined && flags.autoApprove !== true && !io.stdinIsTerminal;
  if (!savesOnly) requireApprover(flags, io);
  const context = await loadContext(flags, io);
  const everything = { destroy: true, prune: true };
  if (!savesOnly) return runApply(context, (own, client) => planLive(own, client, everything));
  return withReadClient(context, async (client) => {
    const { plan } = await planLive(context, client, everything);
    await savePlan(plan, out, context.io);
    if (!io.log.quiet) showPlan(plan, context);
    return 0;
  });
}
