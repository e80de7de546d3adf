import type { Client } from "../api/client.js";
import { EdgewiseError } from "../errors.js";
import type { Plan } from "../plan/plan-format.js";
import { applyAndVerify } from "./apply-and-verify.js";
import { confirm } from "./confirm.js";
import type { CommandContext } from "./context.js";
import type { Interrupts } from "./interrupts.js";
import type { ApplyFlags } from "./plan-flags.js";
import { reaches } from "./plan.js";
import type { PreparedPlan } from "./prepared.js";
import { textOptions } from "./render-plan.js";
import { renderResult } from "./render-result.js";
import { writeResult } from "./write-result.js";

/** Shows a plan, asks, applies it, verifies, and reports: the common path of `apply` and `destroy`. Returns the exit code. */
export async function carryOut(
  prepared: PreparedPlan,
  context: CommandContext,
  flags: ApplyFlags,
  client: Client,
  interrupts: Interrupts,
): Promise<number> {
  const { io, log } = context;
  const { plan } = prepared;
  const pending = plan.operations.length > 0 && plan.refusals.length === 0;
  const asks = pending && flags.autoApprove !== true;
  if (asks || (!log.quiet && log.format === "text")) await showPlan(plan, context, flags);
  if (pending && flags.failOn !== undefined && reaches(plan, flags.failOn)) {
    log.error(
      `not applied: the plan's impact reaches ${flags.failOn}`,
      "Apply without --fail-on once it was reviewed.",
    );
    return 2;
  }
  let accepted = plan;
  if (asks) {
    if (!(await confirm(plan, io))) return declined(interrupts);
    accepted = await stillHolding(prepared);
    for (const { code, message } of accepted.refusals) log.error(message, null, { code });
  }
  if (interrupts.soft.aborted) return declined(interrupts);
  const result = await applyAndVerify({ ...prepared, plan: accepted }, context, flags, client, interrupts);
  const { exitCodeOf } = await import("../apply/result.js");
  const exit = exitCodeOf(result);
  const told = await writeReport(await renderResult(result, accepted, flags, io), context, flags);
  const changed = result.outcome === "applied" || result.outcome === "partial";
  return told || exit !== 0 ? exit : changed ? 3 : 1;
}

/** Writes the account of an apply; when its file can't be written, to stdout, as it must not be lost. */
async function writeReport(text: string, { io, log }: CommandContext, flags: ApplyFlags): Promise<boolean> {
  try {
    await writeResult(text, flags, io);
    return true;
  } catch (error) {
    if (!(error instanceof EdgewiseError)) throw error;
    log.error(error.message, error.remedy, { code: error.code });
    io.stdout(text);
    return false;
  }
}

/** Shows a plan beside the result: on stderr. */
export async function showPlan(plan: Plan, { io }: CommandContext, flags: ApplyFlags): Promise<void> {
  const { renderPlanText } = await import("../report/plan-text.js");
  io.stderr(`${await renderPlanText(plan, { color: io.stderrColor, ...textOptions(flags, io) })}\n`);
}

function declined(interrupts: Interrupts): never {
  if (interrupts.soft.aborted)
    throw new EdgewiseError("interrupted", "interrupted: nothing was changed", { exit: 130 });
  throw new EdgewiseError("usage", "not approved: nothing was changed", { remedy: "Only `yes` approves." });
}

/** The plan made again, and refused when it is not the one that was shown: the answer may have taken hours. */
async function stillHolding({ plan, planAgain }: PreparedPlan): Promise<Plan> {
  const [fresh, { staleness }] = await Promise.all([planAgain(), import("../plan/staleness.js")]);
  return { ...fresh, refusals: [...fresh.refusals, ...staleness(plan, fresh)] };
}
