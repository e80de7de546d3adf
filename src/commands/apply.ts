import { misuse } from "../core/errors.js";
import type { Plan } from "../plan/plan-format.js";
import { runsForAll, stackCommand } from "./support/all-stacks.js";
import { loadContext } from "./support/command-context.js";
import { type CommandIo, requireApprover } from "./support/command-io.js";
import { everything, planLive, planOnly } from "./support/planning.js";
import { flagsForSaved, planSaved, readPlan, refuseForeign } from "./support/saved-plan.js";
import { type Findings, maskedPlan, savePlan, writeFindings } from "./support/output.js";
import { runApply, showPlan } from "./support/run-apply.js";
import { resultFormats, type Flags, type DefineCommand } from "./support/command-options.js";

export const define: DefineCommand = (command, run) =>
  command
    .argument("[planfile]", "a plan saved with --out")
    .description(
      "Shows the plan, asks, applies, and verifies that a second plan is empty. A saved plan is made again, and applied only when it is still the same.",
    )
    .shared(resultFormats, "apply saved plan compact all manifests ref service concurrency pages")
    .examples([
      ["edgewise apply", "plan, ask, apply"],
      ["edgewise apply --auto-approve", "in CI"],
      ["edgewise apply --all --auto-approve", "every stack of the repository, first those that others refer to"],
      ["edgewise apply --ref HEAD~1", "roll back to the previous commit"],
      ["edgewise apply plan.json --auto-approve", "exactly what was reviewed, or nothing"],
    ])
    .action(run(apply));

export const defineDestroy: DefineCommand = (command, run) =>
  command
    .description("Apply's guards hold: protected resources are refused unless you allow them by name.")
    .shared(resultFormats, "apply exclude out guards compact config ref service concurrency")
    .examples([
      ["edgewise destroy --stack preview-42 --max-deletes 100% --auto-approve", "take down a preview environment"],
      ["edgewise destroy --ref HEAD~1 -c old/edgewise.yaml", "a stack whose configuration was removed"],
    ])
    .action(run(destroy));

async function apply(io: CommandIo, file: string | undefined, flags: Flags) {
  requireApprover(flags, io);
  if (file === undefined) return stackCommand("apply", applyStack)(io, flags);
  const remedy = "Leave out one of them: a plan file names its stack.";
  if (runsForAll(flags)) throw misuse("a plan file can't be used with --all, which plans every stack", remedy);
  return writeFindings(await applySaved(io, await readPlan(file, io.cwd), flags), io);
}

async function applyStack(io: CommandIo, flags: Flags): Promise<Findings> {
  if (flags.approved !== undefined)
    throw misuse("--approved needs a plan file, and none was given", "Use: edgewise apply FILE --approved sha256:…");
  if (flags.destroy)
    throw misuse("--destroy needs a plan file saved by `edgewise destroy --out FILE`", "Use `edgewise destroy`.");
  return runApply(await loadContext(flags, io), planLive);
}

export async function applySaved(io: CommandIo, saved: Plan, given: Flags): Promise<Findings> {
  const context = await loadContext(flagsForSaved(saved, given), io);
  refuseForeign(saved, context, given);
  return runApply(context, (own, client) => planSaved(saved, own, client));
}

async function destroy(io: CommandIo, flags: Flags) {
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
