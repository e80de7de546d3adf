import { EdgewiseError } from "../errors.js";
import { carryOut } from "./carry-out.js";
import { connectWriting } from "./connect.js";
import { loadContext, type CommandContext } from "./context.js";
import type { Client } from "../api/client.js";
import { takeInterrupts } from "./interrupts.js";
import type { Io } from "./io.js";
import { loadAndList } from "./load-and-list.js";
import { makePlanFrom } from "./make-plan-from.js";
import type { ApplyFlags } from "./plan-flags.js";
import { planOptions } from "./plan-options.js";
import { preparePlan, type PreparedPlan } from "./prepared.js";
import { prepareSaved } from "./prepare-saved.js";
import { provenanceOf } from "./provenance.js";
import { readPlan } from "./read-plan.js";
import { savePlan } from "./save-plan.js";
import { flagsForSaved, refuseForeign } from "./saved-plan.js";
import { checkOutput } from "./write-output.js";
import { withOrigins } from "./with-origins.js";

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
  const { desired, listing } = await loadAndList(context, flags, client);
  const options = planOptions(context, flags, desired, { provenance: await provenance });
  const planned = await makePlanFrom(context, client, desired, options, listing);
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
