import { EdgewiseError } from "../errors.js";
import { carryOut } from "./carry-out.js";
import { connectWriting } from "./connect.js";
import { loadContext, type Context } from "./context.js";
import type { Client } from "../api/client.js";
import { takeInterrupts } from "./interrupts.js";
import type { Io } from "./io.js";
import { loadAndList } from "./load-and-list.js";
import { makePlanFrom } from "./make-plan-from.js";
import type { ApplyFlags } from "./plan-flags.js";
import { planOptions } from "./plan-options.js";
import { preparedFrom, type Prepared } from "./prepared.js";
import { prepareSaved, refuseForeign } from "./prepare-saved.js";
import { readPlan } from "./read-plan.js";
import { savePlan } from "./save-plan.js";
import { withOrigins } from "./with-origins.js";

/** `apply [PLANFILE]`: plans or reads a plan, shows, asks, applies, verifies (design, "Commands"). */
export async function applyCommand(file: string | undefined, flags: ApplyFlags, plain: Io): Promise<number> {
  refuseToAskNobody(flags, plain);
  const saved = file === undefined ? null : await readPlan(file, plain.cwd);
  if (saved !== null) refusePlanning(flags);
  const context = await loadContext(flags, plain);
  context.io.redactor.reveal(saved);
  if (saved !== null) refuseForeign(saved, context);
  return applying(context, flags, async (client) =>
    saved === null ? prepareFresh(context, flags, client) : prepareSaved(saved, context, flags, client),
  );
}

/** Connects, takes signals, prepares and carries out. */
export async function applying(
  context: Context,
  flags: ApplyFlags,
  prepare: (client: Client) => Promise<Prepared>,
): Promise<number> {
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

async function prepareFresh(context: Context, flags: ApplyFlags, client: Client): Promise<Prepared> {
  const { desired, listing } = await loadAndList(context, flags, client);
  const planned = await makePlanFrom(context, client, desired, planOptions(context, flags, desired), listing);
  return preparedFrom({ ...planned, plan: await withOrigins(planned, context, flags) }, client);
}

/** @throws EdgewiseError `usage` when there is nobody to ask and nobody needn't be asked */
export function refuseToAskNobody(flags: Pick<ApplyFlags, "autoApprove">, io: Io): void {
  if (flags.autoApprove === true || io.stdinIsTerminal) return;
  throw new EdgewiseError("usage", "there is no terminal to ask on whether the plan may be applied", {
    remedy: "Give --auto-approve to apply without asking.",
  });
}

/** A saved plan is applied as it is: what would make another plan is a mistake. */
function refusePlanning(flags: ApplyFlags): void {
  const given = [
    flags.only !== undefined && "--only",
    flags.label !== undefined && "--label",
    flags.base !== undefined && "--base",
    flags.out !== undefined && "--out",
    flags.allow !== undefined && "--allow",
    flags.maxDeletes !== undefined && "--max-deletes",
    flags.allowEmpty === true && "--allow-empty",
    flags.takeOver === true && "--take-over",
    flags.prune === false && "--no-prune",
  ].filter((flag) => flag !== false);
  if (given.length === 0) return;
  throw new EdgewiseError("usage", `${given.join(", ")} can't change a saved plan`, {
    remedy: "Give it to `edgewise plan --out FILE`, and apply that plan.",
  });
}
