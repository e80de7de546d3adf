import type { Clock } from "../api/client.js";
import { EdgewiseError } from "../core/errors.js";
import type { Change, Plan, Warning } from "../plan/plan-format.js";
import { growingPauses } from "./create-once.js";
import { givenBack } from "./restore.js";
import type { ApplyReport, Verification } from "./result.js";

/** What was applied. */
export interface AppliedPlan {
  readonly plan: Plan;
  readonly report: Pick<ApplyReport, "operations" | "warnings">;
}

export interface VerifyDeps {
  /** Lists and plans again, from the same manifests with the same options. */
  readonly replan: () => Promise<Plan>;
  /** How long lists may lag behind writes, in milliseconds. */
  readonly settleMs: number;
  readonly clock: Clock;
  /** Aborted = the result is wanted now. */
  readonly signal: AbortSignal;
  /** Called before each pause. @param unseen the addresses that the lists do not show as they were written */
  readonly onPause?: (unseen: readonly string[], milliseconds: number) => void;
}

/**
 * Makes a second plan from fresh lists: it must be empty. While all that is missing is what this run just wrote, the
 * lists may be behind: then it looks again with growing pauses, for as long as lists may lag. Duplicates that a slow
 * service created late show up here, as `duplicate-marker`.
 */
export async function verify(applied: AppliedPlan, deps: VerifyDeps): Promise<Verification> {
  const { clock, onPause, settleMs, signal } = deps;
  const nextPause = growingPauses(clock, settleMs);
  let unseen: readonly string[] = [];
  for (;;) {
    const began = clock.now();
    const plan = await replanUnlessStopped(deps);
    if (plan === null) return stopped(unseen);
    if (!("format" in plan)) return plan;
    const found = { verified: false, warnings: differencesIn(plan) };
    if (found.warnings.length === 0) return { ...found, verified: true };
    unseen = notYetShown(plan, applied);
    const pause = unseen.length === 0 ? null : nextPause(began);
    if (pause === null) return found;
    onPause?.(unseen, pause);
    await clock.sleep(pause, signal);
  }
}

/** The second plan, or why there is none; null when a signal came first. What is being read then is given up. */
async function replanUnlessStopped({ replan, signal }: VerifyDeps): Promise<Plan | Verification | null> {
  if (signal.aborted) return null;
  let stop = (): void => {};
  const stopping = new Promise<null>((resolve) => {
    stop = () => resolve(null);
    signal.addEventListener("abort", stop, { once: true });
  });
  const replanning = replan().catch((error: unknown): Verification => {
    // What was being read when a signal came may fail in any way.
    if (!(error instanceof EdgewiseError) && !signal.aborted) throw error;
    const message = `verification failed: ${error instanceof Error ? error.message : String(error)}`;
    return { verified: false, warnings: [{ code: "verify-failed", message }] };
  });
  try {
    return await Promise.race([replanning, stopping]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

function stopped(unseen: readonly string[]): Verification {
  const which = unseen.length === 0 ? "" : `; the lists did not show yet what was written of ${unseen.join(", ")}`;
  return {
    verified: null,
    warnings: [{ code: "verify-interrupted", message: `verification was interrupted${which}` }],
  };
}

function differencesIn({ changes, operations, refusals }: Plan): readonly Warning[] {
  return [
    ...refusals.map(({ code, message, remedy, address }) => ({
      code,
      message: `${message} ${remedy}`,
      ...(address === undefined ? {} : { address }),
    })),
    ...changes.map(notConverged),
    ...leftOver({ changes, operations }).map((address): Warning => ({
      code: "not-converged",
      message: `${address} still has to be written`,
      address,
    })),
  ];
}

/** The addresses that have operations and no change. */
function leftOver({ changes, operations }: Pick<Plan, "changes" | "operations">): readonly string[] {
  const changed = new Set<string>(changes.map(({ address }) => address));
  return [...new Set(operations.map(({ address }) => address))].filter((address) => !changed.has(address));
}

function notConverged({ address, action, fields }: Change): Warning {
  const paths = fields.map(({ path }) => path).join(", ");
  const message = `${address} is still to be changed (${action}${paths === "" ? "" : `: ${paths}`})`;
  return { code: "not-converged", message, address };
}

/**
 * The addresses that a second plan would write because the lists do not show yet what was just written. None when
 * something else is missing, too: then looking again can't help. What failed, or was given back, is still to be done and
 * says nothing about the lists, nor does a duplicate, which stays.
 */
function notYetShown(again: Plan, { plan, report }: AppliedPlan): readonly string[] {
  const unfinished = new Set<string>([
    ...report.operations.flatMap(({ status, address }) => (status === "done" ? [] : [address])),
    ...report.warnings.flatMap(({ code, address }) => (givenBack.has(code) ? (address ?? []) : [])),
  ]);
  const written = new Set<string>(report.operations.map(({ address }) => address));
  const before = new Map<string, Change>(plan.changes.map((change) => [change.address, change]));
  const open = (address: string): boolean => !unfinished.has(address);
  const changes = again.changes.filter(({ address }) => open(address));
  const others = leftOver(again).filter(open);
  const refused = again.refusals.flatMap(({ code, address }) =>
    code === "duplicate-marker" || address === undefined || !open(address) ? [] : [address],
  );
  const lagging =
    changes.every((change) => written.has(change.address) && isWithin(change, before.get(change.address))) &&
    [...others, ...refused].every((address) => written.has(address));
  return lagging ? [...new Set([...changes.map(({ address }) => address), ...others, ...refused])] : [];
}

/** Whether an update names only what the run's own update of the resource wrote. Anything else was done by others. */
function isWithin(again: Change, before: Change | undefined): boolean {
  if (before?.action !== "update") return true;
  return (
    again.action === "update" &&
    again.fields.every(({ path }) => before.fields.some((written) => areNested(path, written.path)))
  );
}

/**
 * Whether one path leads to the other or below it. A module that the run added as a whole differs in its reference alone
 * while only what it refers to is not listed yet.
 */
function areNested(one: string, other: string): boolean {
  return one === other || one.startsWith(`${other}.`) || other.startsWith(`${one}.`);
}
