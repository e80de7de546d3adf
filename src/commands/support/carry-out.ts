import type { Client } from "../../api/client.js";
import { secretResolver } from "../../apply/preflight.js";
import type { ApplyReport, Result } from "../../apply/result.js";
import type { Verification } from "../../apply/verify.js";
import { EdgewiseError } from "../../errors.js";
import { readLiveFor } from "../../live/read-live.js";
import type { Manifest } from "../../manifest/manifest.js";
import type { PlanOptions } from "../../plan/options.js";
import type { Plan, UnavailableSecret } from "../../plan/plan-format.js";
import { palette } from "../../report/styles.js";
import { reaches } from "../plan.js";
import { createProgress } from "./apply-progress.js";
import { type CommandContext, defaultConcurrency } from "./command-context.js";
import type { ApplyFlags } from "./flags.js";
import type { Io } from "./io.js";
import type { Log } from "./log.js";
import { renderResult, textOptions, writeResult } from "./output.js";
import type { Planned } from "./planning.js";
import { UnexpectedAfterWrite } from "./problem-errors.js";

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
  const { exitCodeOf } = await import("../../apply/result.js");
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
  const { renderPlanText } = await import("../../report/plan-text.js");
  io.stderr(`${await renderPlanText(plan, { color: io.stderrColor, ...textOptions(flags, io) })}\n`);
}

function declined(interrupts: Interrupts): never {
  if (interrupts.soft.aborted)
    throw new EdgewiseError("interrupted", "interrupted: nothing was changed", { exit: 130 });
  throw new EdgewiseError("usage", "not approved: nothing was changed", { remedy: "Only `yes` approves." });
}

/** The plan made again, and refused when it is not the one that was shown: the answer may have taken hours. */
async function stillHolding({ plan, planAgain }: PreparedPlan): Promise<Plan> {
  const [fresh, { staleness }] = await Promise.all([planAgain(), import("../../plan/staleness.js")]);
  return { ...fresh, refusals: [...fresh.refusals, ...staleness(plan, fresh)] };
}

/** What a write takes, in milliseconds, before it is known: for the estimate that is shown first. */
const latencyMs = 200;

/**
 * Runs a plan and verifies what came of it; progress and journal are told meanwhile.
 * @throws EdgewiseError before anything is sent; UnexpectedAfterWrite for a bug that comes to light later
 */
async function applyAndVerify(
  { plan, manifests, planAfter, withheld }: PreparedPlan,
  context: CommandContext,
  flags: ApplyFlags,
  client: Client,
  interrupts: Interrupts,
): Promise<Result> {
  const { log, status } = context;
  const [{ applyPlan }, { createFindByMarker }, { makeResult }, { verify }, { estimateSeconds }, { systemClock }] =
    await Promise.all([
      import("../../apply/apply-plan.js"),
      import("../../apply/find-by-marker.js"),
      import("../../apply/result.js"),
      import("../../apply/verify.js"),
      import("../../apply/estimate.js"),
      import("../../api/system-clock.js"),
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
    if (report.outcome === "nothing" && withheld.length === 0)
      return makeResult(plan, report, flags.verify === false ? null : { verified: true, warnings: [] });
    // Where nothing was changed there is nothing to verify, and after a signal nobody waits for it.
    const skip = flags.verify === false || ["refused", "failed"].includes(report.outcome) || report.interrupted;
    if (skip) return makeResult(plan, report, null);
    log.info("Verifying: listing and planning once more.");
    const verification = withoutFailedOperations(await verify({ replan: planAfter }), report);
    return makeResult(plan, report, withWithheld(verification, withheld));
  } catch (error) {
    throw written && !(error instanceof EdgewiseError) ? new UnexpectedAfterWrite(error) : error;
  } finally {
    status.clear();
    await journal?.close();
  }
}

/** What failed or was skipped is told as such: that it is still to be done goes without saying. */
function withoutFailedOperations(verification: Verification, { operations }: ApplyReport): Verification {
  const open = new Set<string>(operations.flatMap(({ status, address }) => (status === "done" ? [] : [address])));
  const warnings = verification.warnings.filter(
    ({ code, address }) => code !== "not-converged" || address === undefined || !open.has(address),
  );
  return { ...verification, warnings };
}

/** Says which secrets may be what is left to do: the plan was made without them, and so left them as they were. */
function withWithheld(verification: Verification, withheld: readonly UnavailableSecret[]): Verification {
  const left = new Set(verification.warnings.map(({ address }) => address));
  const unsent = withheld.filter(({ address }) => left.has(address));
  if (unsent.length === 0) return verification;
  const warnings = unsent.map(({ address, source }) => ({
    code: "secret-not-sent",
    message: `the secret from ${source} was not available when the plan was made, so it was not sent, and what is live differs: run \`edgewise apply\` without a plan file to send it`,
    address,
  }));
  return { ...verification, warnings: [...verification.warnings, ...warnings] };
}

async function openJournalFor(flags: ApplyFlags, { io }: CommandContext) {
  if (flags.journal === undefined) return null;
  const [{ openJournal }, { workplaceOf }] = await Promise.all([
    import("../../apply/journal.js"),
    import("./output-files.js"),
  ]);
  return openJournal(flags.journal, workplaceOf(io), io.mask);
}

/** A plan that is about to be applied, and how it is made again. */
export interface PreparedPlan {
  readonly plan: Plan;
  /** The manifests that secrets are taken from. */
  readonly manifests: readonly Manifest[];
  /** Lists and plans anew, in full: what is applied when somebody was asked meanwhile. */
  readonly planAgain: () => Promise<Plan>;
  /** Lists and plans anew after the apply, when nothing must be left to do. That plan is not rehearsed. */
  readonly planAfter: () => Promise<Plan>;
  /** Secrets that the plan leaves as they are because they were not available when it was saved. */
  readonly withheld: readonly UnavailableSecret[];
}

/**
 * A plan that was just made.
 * @param manifests what secrets are taken from; default: what the plan was made from
 * @param withheld see {@link PreparedPlan}
 */
export function preparePlan(
  { plan, desired, options, normalForms }: Pick<Planned, "plan" | "desired" | "options" | "normalForms">,
  client: Client,
  manifests: readonly Manifest[] = desired,
  withheld: readonly UnavailableSecret[] = [],
): PreparedPlan {
  const planFrom = async (from: readonly Manifest[], more: Partial<PlanOptions>): Promise<Plan> => {
    const { plan: make } = await import("../../plan/make-plan.js");
    return make(from, await readLiveFor(client, from), { ...options, ...more }, normalForms);
  };
  return {
    plan,
    manifests,
    planAgain: async () => planFrom(desired, {}),
    // With every secret that can be read here: one that the plan leaves alone may differ from what is live.
    planAfter: async () => planFrom(manifests, { rehearse: false, again: true }),
    withheld,
  };
}

/** Asks on the terminal whether a plan may be applied; only `yes` says so. */
async function confirm(plan: Plan, io: Io): Promise<boolean> {
  const count = plan.operations.length;
  const what = `${count} ${count === 1 ? "request" : "requests"} for stack ${plan.stack} at ${plan.baseUrl}`;
  const answer = await io.ask(`${palette(io.stderrColor).bold(`Apply this plan (${what})?`)} Type yes: `);
  return answer.trim() === "yes";
}

/** What SIGINT and SIGTERM did so far. */
export interface Interrupts {
  /** Aborted by the first signal: start nothing more, finish what is in flight. */
  readonly soft: AbortSignal;
  /** Aborted by the second signal, or by the first before anything is written: cut off everything. */
  readonly hard: AbortSignal;
  /** From here on the first signal lets requests in flight finish. */
  writing(): void;
  /** Signals are no longer taken. */
  end(): void;
}

/** Takes SIGINT and SIGTERM in the two steps of an apply. */
export function takeInterrupts(io: Io, log: Log): Interrupts {
  const soft = new AbortController();
  const hard = new AbortController();
  let written = false;
  const release = io.onSignal((signal) => {
    if (!soft.signal.aborted) {
      if (written)
        log.warning(`${signal}: nothing more is started; requests in flight finish. Once more cuts them off.`, {
          signal,
        });
      soft.abort(signal);
      if (written) return;
    }
    hard.abort(signal);
  });
  return {
    soft: soft.signal,
    hard: hard.signal,
    writing: () => {
      written = true;
    },
    end: release,
  };
}
