import { workplaceOf } from "./output-files.js";
import { openJournal } from "../../apply/journal.js";
import { systemClock } from "../../api/system-clock.js";
import { verify } from "../../apply/verify.js";
import { applyPlan } from "../../apply/apply-plan.js";
import { secretResolver } from "../../apply/preflight.js";
import { type ApplyReport, type Result, type Verification, makeResult } from "../../apply/result.js";
import { EdgewiseError } from "../../core/errors.js";
import type { UnavailableSecret, Warning } from "../../plan/plan-format.js";
import { createProgress, formatDuration } from "./apply-progress.js";
import type { ApplySession, PreparedPlan } from "./apply-session.js";
import { UnexpectedAfterWrite } from "./command-errors.js";
import { defaultConcurrency } from "./connect.js";
import type { Log } from "./log.js";

/**
 * Applies a plan and verifies the outcome; progress and journal are written meanwhile.
 * @throws EdgewiseError before anything is sent; UnexpectedAfterWrite for a bug that shows up later
 */
export async function applyAndVerify(
  { plan, manifests, planAfter, withheld: saved }: PreparedPlan,
  { context, flags, client: unguarded, interrupts, lock, owner }: ApplySession,
): Promise<Result> {
  const client = lock === null ? unguarded : lock.guard(unguarded);
  const soft = lock === null ? interrupts.soft : AbortSignal.any([interrupts.soft, lock.signal]);
  const withheld = saved ?? [];
  const { log, status } = context;
  const { settleMs } = context.config.api;
  const journal = flags.journal === undefined ? null : await openJournal(flags.journal, workplaceOf(context.io));
  const concurrency = flags.concurrency ?? defaultConcurrency;
  const progress = createProgress(context, plan);
  let written = false;
  interrupts.writing();
  try {
    const report = await applyPlan(plan, {
      client,
      concurrency,
      resolveSecret: secretResolver(manifests),
      signal: soft,
      hardSignal: interrupts.hard,
      failFast: flags.failFast === true,
      settleMs,
      onEvent: (event) => {
        written ||= event.event === "request";
        progress.show(event);
        return journal?.write(event);
      },
      clock: systemClock,
      by: owner.by,
      random: Math.random,
    });
    if (report.outcome === "nothing" && withheld.length === 0)
      return makeResult(plan, report, flags.verify === false ? null : { verified: true, warnings: [] });
    // When nothing was changed there is nothing to verify, and after a signal nobody wants to wait for it.
    const skip = flags.verify === false || ["refused", "failed"].includes(report.outcome) || report.interrupted;
    if (skip) return makeResult(plan, report, null);
    log.info("Verifying: listing and planning again.");
    const found = await verify(
      { plan, report },
      { replan: planAfter, settleMs, clock: systemClock, signal: interrupts.soft, onPause: tellOnce(log, settleMs) },
    );
    const verification = withoutFailedOperations(found, report);
    return makeResult(plan, report, withWithheld(verification, withheld));
  } catch (error) {
    throw written && !(error instanceof EdgewiseError) ? new UnexpectedAfterWrite(error) : error;
  } finally {
    progress.end();
    status.clear();
    await journal?.close();
  }
}

/** Says once that the lists are behind, and how long to expect to wait at most. */
function tellOnce(log: Log, settleMs: number): (unseen: readonly string[]) => void {
  let told = false;
  return (unseen) => {
    if (told) return;
    told = true;
    const what = unseen.length > 3 ? `${unseen.length} resources` : unseen.join(", ");
    log.info(
      `The lists do not show yet what was written of ${what}: looking again for up to ${formatDuration(settleMs)}.`,
    );
  };
}

/** Failed and skipped operations are reported as such: that they are still to be done is no news. */
function withoutFailedOperations(verification: Verification, { operations }: ApplyReport): Verification {
  const open = new Set<string>(operations.flatMap(({ status, address }) => (status === "done" ? [] : [address])));
  const warnings = verification.warnings.filter(
    ({ code, address }) => code !== "not-converged" || address === undefined || !open.has(address),
  );
  return { ...verification, warnings };
}

/** Names the secrets that may be the remaining difference: the plan was made without them and left them as they were. */
function withWithheld(verification: Verification, withheld: readonly UnavailableSecret[]): Verification {
  const left = new Set(verification.warnings.map(({ address }) => address));
  const unsent = withheld.filter(({ address }) => left.has(address));
  if (unsent.length === 0) return verification;
  const warnings = unsent.map(({ address, source }): Warning => ({
    code: "secret-not-sent",
    message: `the secret from ${source} was not available when the plan was made, so it was not sent, and the live value differs: run \`edgewise apply\` without a plan file to send it`,
    address,
  }));
  return { ...verification, warnings: [...verification.warnings, ...warnings] };
}
