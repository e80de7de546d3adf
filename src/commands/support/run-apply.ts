import { randomUUID } from "node:crypto";
import type { Client } from "../../api/client.js";
import { preflight, secretResolver } from "../../apply/preflight.js";
import { type Result, countStatuses, exitCodeOf } from "../../apply/result.js";
import { EdgewiseError } from "../../core/errors.js";
import { isAtLeast, worstOf } from "../../kinds/impact.js";
import { type Change, type Plan, commitWords, shownCommit } from "../../plan/plan-format.js";
import { staleness } from "../../plan/staleness.js";
import { planView } from "../../report/plan-view.js";
import { renderText } from "../../report/report-text.js";
import { renderResultMarkdown, renderResultText } from "../../report/result-report.js";
import { count, listFew } from "../../core/text.js";
import { safeJson } from "../../core/visible.js";
import { type ApplySession, applyAndVerify, takeInterrupts, underAccountLock, wantsLock } from "./apply-session.js";
import { type CommandContext, requireStack } from "./command-context.js";
import type { CommandIo } from "./command-io.js";
import type { ApplyFlags } from "./command-options.js";
import { confirm, stopIfInterrupted } from "./confirm.js";
import { withWriteClient } from "./connect.js";
import { checkOutput, savePlan, textStyle, writeResult } from "./output.js";
import { type Planned, planAgain } from "./planning.js";
import type { SharedAccounts } from "./shared-account.js";
import { whoRuns } from "./who-runs.js";

type ApplyContext = CommandContext<ApplyFlags>;

/** Connects, plans, shows the plan, asks, applies, verifies and reports. Returns the exit code. */
export async function runApply(
  context: ApplyContext,
  makePlan: (context: ApplyContext, client: Client) => Promise<Planned>,
  accounts?: SharedAccounts,
): Promise<number> {
  const { flags, io } = context;
  await checkOutput(io);
  const interrupts = takeInterrupts(io);
  try {
    const work = async (client: Client, connect: ApplySession["connect"]): Promise<number> => {
      // What it says is data in the service that others read: every known secret is masked.
      const owner = { stack: requireStack(context), run: randomUUID(), by: io.redactor.redact(whoRuns(io.env)) };
      const own = { ...context, lockRun: owner.run, stop: interrupts.soft };
      const planned = await makePlan(own, client);
      if (flags.out !== undefined) await savePlan(planned.plan, flags.out, io);
      return confirmAndApply(planned, { context: own, client, connect, interrupts, owner, lock: null });
    };
    return await withWriteClient(context, interrupts.hard, work, accounts);
  } finally {
    interrupts.end();
  }
}

async function confirmAndApply(planned: Planned, session: ApplySession): Promise<number> {
  const { context, interrupts } = session;
  const { flags, io } = context;
  const { failOn } = flags;
  const { plan } = planned;
  const pending = plan.operations.length > 0 && plan.refusals.length === 0;
  const asks = pending && flags.autoApprove !== true;
  if (asks || (!io.log.quiet && io.log.format === "text")) showPlan(plan, context);
  if (pending && failOn !== undefined && plan.changes.some(({ impact }) => isAtLeast(impact, failOn))) {
    io.log.error(`not applied: the plan's impact reaches ${failOn}`, "Review the plan, then apply without --fail-on.");
    return 2;
  }
  if (asks) {
    const question = plan.relaxations.destroy ? destroyQuestion(plan) : applyQuestion(plan);
    await confirm(question, io, "approve a plan", interrupts.soft);
  }
  const { accepted, result } =
    pending && wantsLock(session)
      ? await applyUnderLock(planned, session)
      : await applyAccepted(asks ? await planStillValid(planned, session) : plan, planned, session);
  const exit = exitCodeOf(result);
  const changed = result.outcome === "applied" || result.outcome === "partial";
  const written = await writeReport(result, accepted, changed, io);
  return written || exit !== 0 ? exit : changed ? 3 : 1;
}

interface AppliedPlan {
  readonly accepted: Plan;
  readonly result: Result;
}

async function applyAccepted(accepted: Plan, planned: Planned, session: ApplySession): Promise<AppliedPlan> {
  stopIfInterrupted(session.interrupts.soft);
  return { accepted, result: await applyAndVerify({ ...planned, plan: accepted }, session) };
}

/** Takes the account's lock, plans again and applies: whoever held it before may have changed everything. */
async function applyUnderLock(planned: Planned, session: ApplySession): Promise<AppliedPlan> {
  stopIfInterrupted(session.interrupts.soft);
  // The lock is a write, too: nothing that can be known before it may stop the run after it.
  preflight(planned.plan, { resolveSecret: secretResolver(planned.manifests) });
  const { value, warnings } = await underAccountLock(session, async (lock) => {
    if (!("code" in lock)) return applyAccepted(await planStillValid(planned, session), planned, { ...session, lock });
    session.context.io.log.error(lock.message, lock.remedy, { code: lock.code });
    const refused = { ...planned.plan, refusals: [...planned.plan.refusals, lock] };
    return applyAccepted(refused, planned, session);
  });
  const { accepted, result } = value;
  return { accepted, result: { ...result, warnings: [...result.warnings, ...warnings] } };
}

/** Shows a plan on stderr, because stdout is for the result. */
export function showPlan(plan: Plan, { flags, io }: ApplyContext): void {
  const compact = flags.compact === true;
  io.stderr(`${renderText(planView(plan, compact), { ...textStyle(io), color: io.stderrColor, compact })}\n`);
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

/**
 * The plan made again, refused when it differs from the one that was shown: the answer, or the lock, may have taken hours.
 * When another run has done everything meanwhile, nothing is left to do, which is fine unless the plan was saved.
 */
async function planStillValid(planned: Planned, session: ApplySession): Promise<Plan> {
  const { client, context } = session;
  const { log } = context.io;
  const fresh = await planAgain(context, client, planned);
  const isDone = fresh.changes.length === 0 && fresh.operations.length === 0;
  if (isDone && planned.withheld === null && wantsLock(session)) {
    log.info("Another run did all of it meanwhile: nothing is left to do.");
    return fresh;
  }
  const stale = { ...fresh, refusals: [...fresh.refusals, ...staleness(planned.plan, fresh)] };
  for (const { code, message } of stale.refusals) log.error(message, null, { code });
  return stale;
}

/** Writes the report of an apply; to stdout when its file can't be written, because it must not be lost. */
async function writeReport(result: Result, plan: Plan, changed: boolean, io: CommandIo): Promise<boolean> {
  const ended = Object.entries(countStatuses(result.operations)).flatMap(([status, number]) =>
    number === 0 ? [] : [`${number} ${status}`],
  );
  const counts = [result.outcome, ...ended].join(", ");
  io.summarize?.({ counts, impact: worstOf(plan.changes)?.impact ?? "none", changed });
  const text =
    io.format === "json"
      ? safeJson(result)
      : io.format === "markdown"
        ? renderResultMarkdown(result, plan)
        : renderResultText(result, plan, textStyle(io));
  try {
    await writeResult(text, io);
    return true;
  } catch (error) {
    if (!(error instanceof EdgewiseError)) throw error;
    io.log.error(error.message, error.remedy, { code: error.code });
    io.stdout(text);
    return false;
  }
}
