import type { Clock } from "../api/client.js";
import { EdgewiseError } from "../core/errors.js";
import type { Change, Plan, Warning } from "../plan/plan-format.js";
import { givenBack } from "./restore.js";
import type { ApplyReport, Verification } from "./result.js";
import { growingPauses } from "./send-request.js";

export type AppliedPlan = Readonly<{
  plan: Plan;
  report: Pick<ApplyReport, "operations" | "warnings">;
}>;

export type VerifyDeps = Readonly<{
  replan: () => Promise<Plan>;
  settleMs: number;
  clock: Clock;
  signal: AbortSignal;
  onPause?: (unseen: readonly string[], milliseconds: number) => void;
}>;

export async function verify(applied: AppliedPlan, deps: VerifyDeps): Promise<Verification> {
  const { clock, onPause, replan, settleMs, signal } = deps;
  const nextPause = growingPauses(clock, settleMs);
  const stopping = new Promise<null>((resolve) => {
    signal.addEventListener("abort", () => resolve(null), { once: true });
  });
  let unseen: readonly string[] = [];
  for (;;) {
    const began = clock.now();
    let plan: Plan | null;
    try {
      plan = signal.aborted ? null : await Promise.race([replan(), stopping]);
    } catch (error) {
      if (!(error instanceof EdgewiseError) && !signal.aborted) throw error;
      const message = `verification failed: ${error instanceof Error ? error.message : String(error)}`;
      return { verified: false, warnings: [{ code: "verify-failed", message }] };
    }
    if (plan === null) {
      const which = unseen.length === 0 ? "" : `; lists did not show yet what was written of ${unseen.join(", ")}`;
      const message = `verification was interrupted${which}`;
      return { verified: null, warnings: [{ code: "verify-interrupted", message }] };
    }
    const warnings = differencesIn(plan);
    if (warnings.length === 0) return { verified: true, warnings };
    unseen = notYetShown(plan, applied);
    const pause = unseen.length === 0 ? null : nextPause(began);
    if (pause === null) return { verified: false, warnings };
    onPause?.(unseen, pause);
    await clock.sleep(pause, signal);
  }
}

function differencesIn({ changes, refusals }: Plan): readonly Warning[] {
  return [
    ...refusals.map(({ code, message, remedy, address }) => ({
      code,
      message: `${message}: ${remedy}`,
      ...(address !== undefined && { address }),
    })),
    ...changes.map(({ address, action, fields }): Warning => {
      const paths = fields.map(({ path }) => path).join(", ");
      const message = `${address} is still to be changed (${action}${paths === "" ? "" : `: ${paths}`})`;
      return { code: "not-converged", message, address };
    }),
  ];
}

function notYetShown(again: Plan, { plan, report }: AppliedPlan) {
  const unfinished = new Set<string>([
    ...report.operations.flatMap(({ status, address }) => (status === "done" ? [] : [address])),
    ...report.warnings.flatMap(({ code, address }) => (givenBack.has(code) ? (address ?? []) : [])),
  ]);
  const written = new Set<string>(report.operations.map(({ address }) => address));
  const before = new Map<string, Change>(plan.changes.map((change) => [change.address, change]));
  const changes = again.changes.filter(({ address }) => !unfinished.has(address));
  const refused = again.refusals.flatMap(({ code, address }) =>
    code === "duplicate-marker" || address === undefined || unfinished.has(address) ? [] : [address],
  );
  const open = [...changes.map(({ address }) => address), ...refused];
  const isLagging =
    open.every((address) => written.has(address)) &&
    changes.every((change) => isWithin(change, before.get(change.address)));
  return isLagging ? [...new Set(open)] : [];
}

/** It names only what the run's own update wrote, or a part of it: a reference that is not listed yet. */
function isWithin(again: Change, before: Change | undefined) {
  if (before?.action !== "update") return true;
  return (
    again.action === "update" &&
    again.fields.every(({ path: now }) =>
      before.fields.some(({ path }) => `${now}.`.startsWith(`${path}.`) || path.startsWith(`${now}.`)),
    )
  );
}
