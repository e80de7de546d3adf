import type { Client } from "../api/client.js";
import { secretResolver } from "../apply/resolve-secrets.js";
import type { ApplyReport, Result } from "../apply/result.js";
import type { Verification } from "../apply/verify.js";
import { EdgewiseError } from "../errors.js";
import type { UnavailableSecret } from "../plan/plan-format.js";
import { defaultConcurrency } from "./connect.js";
import type { CommandContext } from "./context.js";
import type { Interrupts } from "./interrupts.js";
import type { ApplyFlags } from "./plan-flags.js";
import type { PreparedPlan } from "./prepared.js";
import { createProgress } from "./progress.js";
import { UnexpectedAfterWrite } from "./unexpected-after-write.js";

/** What a write takes, in milliseconds, before it is known: for the estimate that is shown first. */
const latencyMs = 200;

/**
 * Runs a plan and verifies what came of it; progress and journal are told meanwhile.
 * @throws EdgewiseError before anything is sent; UnexpectedAfterWrite for a bug that comes to light later
 */
export async function applyAndVerify(
  { plan, manifests, planAfter, withheld }: PreparedPlan,
  context: CommandContext,
  flags: ApplyFlags,
  client: Client,
  interrupts: Interrupts,
): Promise<Result> {
  const { log, status } = context;
  const [{ applyPlan }, { createFindByMarker }, { makeResult }, { verify }, { estimateSeconds }, { systemClock }] =
    await Promise.all([
      import("../apply/apply-plan.js"),
      import("../apply/find-by-marker.js"),
      import("../apply/result.js"),
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
    import("../apply/journal.js"),
    import("./write-output.js"),
  ]);
  return openJournal(flags.journal, workplaceOf(io), io.mask);
}
