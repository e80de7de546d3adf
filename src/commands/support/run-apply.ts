import { preflight, secretResolver } from "../../apply/preflight.js";
import { type Result, exitCodeOf } from "../../apply/result.js";
import { EdgewiseError } from "../../core/errors.js";
import { type Change, type Plan, commitWords, shownCommit } from "../../plan/plan-format.js";
import { staleness } from "../../plan/staleness.js";
import { planView } from "../../report/plan-view.js";
import { renderText } from "../../report/report-text.js";
import { count, listFew } from "../../core/text.js";
import { applyAndVerify } from "./apply-and-verify.js";
import { underAccountLock, wantsLock } from "./apply-lock.js";
import { type ApplySession, type PreparedPlan, lockOwner } from "./apply-session.js";
import type { CommandContext } from "./command-context.js";
import type { ApplyFlags } from "./command-options.js";
import { isConfirmed } from "./confirm.js";
import { withWriteClient } from "./connect.js";
import { type Interrupts, takeInterrupts } from "./interrupts.js";
import { checkOutput, savePlan } from "./output-files.js";
import { renderResult, textStyle, writeResult } from "./output.js";
import { reaches } from "./planning.js";

/** Connects, prepares a plan, shows it, asks, applies, verifies and reports. Returns the exit code. */
export async function runApply(
  context: CommandContext,
  flags: ApplyFlags,
  prepare: (session: ApplySession) => Promise<PreparedPlan>,
): Promise<number> {
  await checkOutput(flags.outputFile, context.io);
  const interrupts = takeInterrupts(context.io, context.log);
  try {
    return await withWriteClient(context, flags, interrupts.hard, async (client, connect) => {
      const owner = lockOwner(context);
      const own = { ...context, lockRun: owner.run, stop: interrupts.soft };
      const session: ApplySession = { context: own, flags, client, connect, interrupts, owner, lock: null };
      const prepared = await prepare(session);
      if (flags.out !== undefined) await savePlan(prepared.plan, flags.out, context);
      return confirmAndApply(prepared, session);
    });
  } finally {
    interrupts.end();
  }
}

async function confirmAndApply(prepared: PreparedPlan, session: ApplySession): Promise<number> {
  const { context, flags, interrupts } = session;
  const { io, log } = context;
  const { plan } = prepared;
  const pending = plan.operations.length > 0 && plan.refusals.length === 0;
  const asks = pending && flags.autoApprove !== true;
  if (asks || (!log.quiet && log.format === "text")) await showPlan(plan, context, flags);
  if (pending && flags.failOn !== undefined && reaches(plan, flags.failOn)) {
    log.error(
      `not applied: the plan's impact reaches ${flags.failOn}`,
      "Review the plan, then apply without --fail-on.",
    );
    return 2;
  }
  if (asks && !(await isConfirmed(plan.relaxations.destroy ? destroyQuestion(plan) : applyQuestion(plan), io)))
    return stopUnapplied(interrupts);
  const { accepted, result } =
    pending && wantsLock(session)
      ? await applyUnderLock(prepared, session)
      : await applyAccepted(asks ? await planStillValid(prepared, session) : plan, prepared, session);
  const exit = exitCodeOf(result);
  const written = await writeReport(renderResult(result, accepted, flags, io), context, flags);
  const changed = result.outcome === "applied" || result.outcome === "partial";
  return written || exit !== 0 ? exit : changed ? 3 : 1;
}

/** A plan that was accepted, and what became of it. */
interface AppliedPlan {
  readonly accepted: Plan;
  readonly result: Result;
}

async function applyAccepted(accepted: Plan, prepared: PreparedPlan, session: ApplySession): Promise<AppliedPlan> {
  if (session.interrupts.soft.aborted) return stopUnapplied(session.interrupts);
  return { accepted, result: await applyAndVerify({ ...prepared, plan: accepted }, session) };
}

/** Takes the account's lock, plans again and applies: whoever held it before may have changed everything. */
async function applyUnderLock(prepared: PreparedPlan, session: ApplySession): Promise<AppliedPlan> {
  if (session.interrupts.soft.aborted) return stopUnapplied(session.interrupts);
  // The lock is a write, too: nothing that can be known before it may stop the run after it.
  preflight(prepared.plan, { resolveSecret: secretResolver(prepared.manifests) });
  const { value, warnings } = await underAccountLock(session, async (lock, refusal) => {
    if (lock === null && refusal === null) return stopUnapplied(session.interrupts);
    if (refusal === null) return applyAccepted(await planStillValid(prepared, session), prepared, { ...session, lock });
    session.context.log.error(refusal.message, refusal.remedy, { code: refusal.code });
    const refused = { ...prepared.plan, refusals: [...prepared.plan.refusals, refusal] };
    return applyAccepted(refused, prepared, session);
  });
  const { accepted, result } = value;
  return { accepted, result: { ...result, warnings: [...result.warnings, ...warnings] } };
}

/** Shows a plan on stderr, because stdout is for the result. */
export async function showPlan(plan: Plan, { io }: CommandContext, flags: ApplyFlags): Promise<void> {
  io.stderr(
    `${renderText(planView(plan, flags.compact === true), { ...textStyle(flags, io), color: io.stderrColor, compact: flags.compact === true })}\n`,
  );
}

function applyQuestion(plan: Plan): string {
  const { operations, stack, baseUrl } = plan;
  const shown = shownCommit(plan);
  const what = shown === null ? "this plan" : `${commitWords(shown)} with this plan`;
  return `Apply ${what} (${count(operations.length, "request")} for stack ${stack} at ${baseUrl})?`;
}

/** Names what is lost: the plan above it may have scrolled away. */
function destroyQuestion({ changes, stack, baseUrl }: Plan): string {
  const addressesOf = (action: Change["action"]): readonly string[] =>
    changes.flatMap((change) => (change.action === action ? [change.address] : []));
  const [deleted, orphaned] = [addressesOf("delete"), addressesOf("orphan")];
  const parts = [
    ...(deleted.length === 0 ? [] : [`delete ${listFew(deleted, 10)} (${count(deleted.length, "resource")})`]),
    ...(orphaned.length === 0 ? [] : [`keep ${listFew(orphaned, 10)} without managing it any longer`]),
  ];
  return `Destroy stack ${stack} at ${baseUrl}: ${parts.join(", and ")}?`;
}

function stopUnapplied({ soft }: Interrupts): never {
  if (soft.aborted) throw new EdgewiseError("interrupted", "interrupted: nothing was changed", { exit: 130 });
  throw new EdgewiseError("usage", "not approved: nothing was changed", { remedy: "Type yes to approve a plan." });
}

/**
 * The plan made again, refused when it differs from the one that was shown: the answer, or the lock, may have taken
 * hours. When another run has done everything meanwhile, nothing is left to do, which is fine unless the plan was saved.
 */
async function planStillValid({ plan, planAgain, withheld }: PreparedPlan, session: ApplySession): Promise<Plan> {
  const { log } = session.context;
  const fresh = await planAgain();
  const isDone = fresh.changes.length === 0 && fresh.operations.length === 0;
  if (isDone && withheld === null && wantsLock(session)) {
    log.info("Another run did all of it meanwhile: nothing is left to do.");
    return fresh;
  }
  const stale = { ...fresh, refusals: [...fresh.refusals, ...staleness(plan, fresh)] };
  for (const { code, message } of stale.refusals) log.error(message, null, { code });
  return stale;
}

/** Writes the report of an apply; to stdout when its file can't be written, because it must not be lost. */
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
