import type { Client } from "../api/client.js";
import type { Result } from "../apply/result.js";
import type { Plan } from "../plan/plan.js";
import { confirm } from "./confirm.js";
import { defaultConcurrency } from "./connect.js";
import type { Context } from "./context.js";
import { EdgewiseError } from "../errors.js";
import type { Interrupts } from "./interrupts.js";
import type { ApplyFlags } from "./plan-flags.js";
import { reaches } from "./plan.js";
import type { Prepared } from "./prepared.js";
import { createProgress } from "./progress.js";
import { renderResult } from "./render-result.js";
import { textOptions } from "./render-plan.js";
import { secretResolver } from "../apply/secret-resolver.js";
import { UnexpectedAfterWrite } from "./unexpected-after-write.js";
import { writeResult } from "./write-result.js";

/** What a write takes, in milliseconds, before it is known: for the estimate that is shown first. */
const latencyMs = 200;

/** Shows a plan, asks, applies it, verifies, and reports: the common path of `apply` and `destroy`. Returns the exit code. */
export async function carryOut(
  prepared: Prepared,
  context: Context,
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
    for (const { message } of accepted.refusals) log.error(message, null, { code: "stale-plan" });
  }
  if (interrupts.soft.aborted) return declined(interrupts);
  const result = await applyAndVerify({ ...prepared, plan: accepted }, context, flags, client, interrupts);
  const { exitCodeOf } = await import("../apply/exit-code.js");
  const exit = exitCodeOf(result);
  const told = await report(await renderResult(result, accepted, flags, io), context, flags);
  const changed = result.outcome === "applied" || result.outcome === "partial";
  return told || exit !== 0 ? exit : changed ? 3 : 1;
}

/** Writes the account of an apply; when its file can't be written, to stdout, as it must not be lost. */
async function report(text: string, { io, log }: Context, flags: ApplyFlags): Promise<boolean> {
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

async function showPlan(plan: Plan, { io }: Context, flags: ApplyFlags): Promise<void> {
  const { renderPlanText } = await import("../report/plan-text.js");
  io.stderr(`${await renderPlanText(plan, { color: io.stderrColor, ...textOptions(flags, io) })}\n`);
}

function declined(interrupts: Interrupts): never {
  if (interrupts.soft.aborted)
    throw new EdgewiseError("interrupted", "interrupted: nothing was changed", { exit: 130 });
  throw new EdgewiseError("usage", "not approved: nothing was changed", { remedy: "Only `yes` approves." });
}

/** The plan, refused when the world has changed while the answer was waited for. */
async function stillHolding({ plan, options, list }: Prepared): Promise<Plan> {
  const { checkStale } = await import("../plan/check-stale.js");
  return { ...plan, refusals: checkStale(plan, await list(), options) };
}

async function applyAndVerify(
  { plan, manifests, replan }: Prepared,
  context: Context,
  flags: ApplyFlags,
  client: Client,
  interrupts: Interrupts,
): Promise<Result> {
  const { log, status } = context;
  const [{ applyPlan }, { createFindByMarker }, { makeResult }, { verify }, { estimateSeconds }, { systemClock }] =
    await Promise.all([
      import("../apply/apply-plan.js"),
      import("../apply/find-by-marker.js"),
      import("../apply/make-result.js"),
      import("../apply/verify.js"),
      import("../apply/estimate.js"),
      import("../api/system-clock.js"),
    ]);
  const journal = await openJournalFor(flags, context);
  const concurrency = flags.concurrency ?? defaultConcurrency;
  const pace = { requestsPerMinute: context.config.api.requestsPerMinute, concurrency, latencyMs };
  const tell = createProgress(context, estimateSeconds(plan, pace) * 1000);
  let written = false;
  interrupts.writing();
  try {
    const report = await applyPlan(plan, {
      client,
      concurrency,
      resolveSecret: secretResolver(manifests),
      findByMarker: createFindByMarker(client, plan.stack),
      signal: interrupts.soft,
      hardSignal: interrupts.hard,
      failFast: flags.failFast === true,
      onEvent: (event) => {
        written ||= event.event === "request";
        tell(event);
        return journal?.write(event);
      },
      clock: systemClock,
      random: Math.random,
    });
    if (report.outcome === "nothing")
      return makeResult(plan, report, flags.verify === false ? null : { verified: true, warnings: [] });
    const skip = flags.verify === false || report.outcome === "refused" || report.interrupted || !written;
    if (skip) return makeResult(plan, report, null);
    log.info("Verifying: listing and planning once more.");
    return makeResult(plan, report, await verify({ replan }));
  } catch (error) {
    throw written && !(error instanceof EdgewiseError) ? new UnexpectedAfterWrite(error) : error;
  } finally {
    status.clear();
    await journal?.close();
  }
}

async function openJournalFor(flags: ApplyFlags, { io }: Context) {
  if (flags.journal === undefined) return null;
  const [{ openJournal }, { resolve }] = await Promise.all([import("../apply/journal.js"), import("node:path")]);
  return openJournal(resolve(io.cwd, flags.journal));
}
