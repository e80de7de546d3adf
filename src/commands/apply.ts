import { EdgewiseError } from "../core/errors.js";
import { loadContext } from "./support/command-context.js";
import type { GuardedIo } from "./support/io.js";
import { planLive } from "./support/planning.js";
import { readPlan, refuseManifest } from "./support/read-plan.js";
import { preparePlan } from "./support/apply-session.js";
import { requireApprover } from "./support/confirm.js";
import { runApply } from "./support/run-apply.js";
import { flagsForSaved, prepareSaved, refuseForeign } from "./support/saved-plan.js";
import {
  addApplyOptions,
  addExamples,
  addExitCodeOptions,
  addPlanOptions,
  addSavedPlanOptions,
  addSharedOptions,
  resultFormats,
  type ApplyFlags,
  type DefineCommand,
} from "./support/command-options.js";

export const define: DefineCommand = (command, run) => {
  command.argument("[planfile]", "a plan saved with --out");
  command.description(
    "Makes a plan, shows it, asks for approval, applies it and verifies that a second plan is empty. With a saved plan, it plans again and continues only when the new plan is the same.",
  );
  addApplyOptions(command);
  addSavedPlanOptions(command);
  addPlanOptions(command);
  addExitCodeOptions(command, true);
  addSharedOptions(command, resultFormats, "compact", "config", "manifests", "ref", "service", "concurrency", "pages");
  addExamples(command, [
    ["edgewise apply", "plan, ask, apply"],
    ["edgewise apply --auto-approve", "in CI"],
    ["edgewise apply --ref HEAD~1", "roll back to the previous commit"],
    ["edgewise apply plan.json --auto-approve", "exactly what was reviewed, or nothing"],
    ["edgewise apply plan.json --allow TLSEdge/api", "the same, for a plan made with this flag"],
  ]);
  command.action((file: string | undefined, flags: ApplyFlags) =>
    run(flags, async (io) => applyCommand(file, flags, io)),
  );
};

/** `apply [PLANFILE]`: makes or reads a plan, shows it, asks, applies, verifies. */
export async function applyCommand(file: string | undefined, flags: ApplyFlags, io: GuardedIo): Promise<number> {
  if (file !== undefined) return applySaved(file, flags, io);
  requireApprover(flags, io);
  return applyNew(flags, io);
}

async function applyNew(flags: ApplyFlags, io: GuardedIo): Promise<number> {
  refuseSavedPlanFlags(flags);
  const context = await loadContext(flags, io);
  return runApply(context, flags, async (session) =>
    preparePlan(await planLive(session.context, session.client, flags), session),
  );
}

async function applySaved(file: string, given: ApplyFlags, io: GuardedIo): Promise<number> {
  refuseManifest(file);
  const saved = await readPlan(file, io.cwd);
  requireApprover(given, io);
  const flags = flagsForSaved(saved, given);
  const context = await loadContext(flags, io);
  refuseForeign(saved, context, given);
  return runApply(context, flags, async (session) => prepareSaved(saved, given, session));
}

/** @throws EdgewiseError `usage` for flags that need a saved plan where there is none */
function refuseSavedPlanFlags(flags: ApplyFlags): void {
  if (flags.approved !== undefined) {
    throw new EdgewiseError("usage", "--approved needs a plan file, and none was given", {
      remedy: "Give the file that `edgewise plan --out FILE` wrote: edgewise apply FILE --approved sha256:…",
    });
  }
  if (flags.destroy === true) {
    throw new EdgewiseError("usage", "--destroy needs a plan file saved by `edgewise destroy --out FILE`", {
      remedy: "To delete everything that the stack owns, use `edgewise destroy`.",
    });
  }
}
