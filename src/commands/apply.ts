import type { Client } from "../api/client.js";
import { EdgewiseError } from "../errors.js";
import { type PreparedPlan, carryOut, preparePlan, takeInterrupts } from "./support/carry-out.js";
import { type CommandContext, connectWriting, loadContext } from "./support/command-context.js";
import type { ApplyFlags } from "./support/flags.js";
import type { Io } from "./support/io.js";
import { loadAndList } from "./support/load-desired.js";
import { checkOutput, savePlan } from "./support/output-files.js";
import { makePlanFrom, planOptions } from "./support/planning.js";
import { provenanceOf, withOrigins } from "./support/provenance.js";
import { readPlan } from "./support/read-plan.js";
import { flagsForSaved, prepareSaved, refuseForeign } from "./support/saved-plan.js";

/** `apply [PLANFILE]`: plans or reads a plan, shows, asks, applies, verifies. */
export async function applyCommand(file: string | undefined, flags: ApplyFlags, plain: Io): Promise<number> {
  refuseToAskNobody(flags, plain);
  if (file !== undefined) return applySaved(file, flags, plain);
  refuseSavedPlanFlags(flags);
  const context = await loadContext(flags, plain);
  return runApply(context, flags, async (client) => prepareFresh(context, flags, client));
}

async function applySaved(file: string, given: ApplyFlags, plain: Io): Promise<number> {
  const saved = await readPlan(file, plain.cwd);
  const flags = flagsForSaved(saved, given);
  const context = await loadContext(flags, plain);
  context.io.redactor.reveal(saved);
  refuseForeign(saved, context, given);
  return runApply(context, flags, async (client) => prepareSaved(saved, context, flags, given, client));
}

/** Connects, takes signals, prepares and carries out. */
export async function runApply(
  context: CommandContext,
  flags: ApplyFlags,
  prepare: (client: Client) => Promise<PreparedPlan>,
): Promise<number> {
  await checkOutput(flags.outputFile, context.io);
  const interrupts = takeInterrupts(context.io, context.log);
  try {
    const client = await connectWriting(context, flags, interrupts.hard);
    try {
      const prepared = await prepare(client);
      if (flags.out !== undefined) await savePlan(prepared.plan, flags.out, context);
      return await carryOut(prepared, context, flags, client, interrupts);
    } finally {
      await client.close();
    }
  } finally {
    interrupts.end();
  }
}

async function prepareFresh(context: CommandContext, flags: ApplyFlags, client: Client): Promise<PreparedPlan> {
  const provenance = provenanceOf(context, flags);
  const { desired, ...ahead } = await loadAndList(context, flags, client);
  const options = planOptions(context, flags, desired, { provenance: await provenance });
  const planned = await makePlanFrom(context, client, desired, options, ahead);
  return preparePlan({ ...planned, plan: await withOrigins(planned, context, flags) }, client);
}

/** @throws EdgewiseError `usage` when there is nobody to ask and nobody needn't be asked */
export function refuseToAskNobody(flags: Pick<ApplyFlags, "autoApprove">, io: Io): void {
  if (flags.autoApprove === true || io.stdinIsTerminal) return;
  throw new EdgewiseError("usage", "there is no terminal to ask on whether the plan may be applied", {
    remedy: "Give --auto-approve to apply without asking.",
  });
}

/** @throws EdgewiseError `usage` for flags that speak of a saved plan where there is none */
function refuseSavedPlanFlags(flags: ApplyFlags): void {
  if (flags.approved !== undefined) {
    throw new EdgewiseError("usage", "--approved names the hash of a saved plan, and no plan file was given", {
      remedy: "Give the file that `edgewise plan --out FILE` wrote: edgewise apply FILE --approved sha256:…",
    });
  }
  if (flags.destroy === true) {
    throw new EdgewiseError("usage", "--destroy goes with a plan that `edgewise destroy --out FILE` saved", {
      remedy: "To delete everything that the stack owns, use `edgewise destroy`.",
    });
  }
}
