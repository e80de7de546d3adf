import { createHash } from "node:crypto";
import { applyPlan } from "../../apply/apply-plan.js";
import { preflight } from "../../apply/preflight.js";
import type { ApplyReport, Verification } from "../../apply/result.js";
import { verify } from "../../apply/verify.js";
import { EdgewiseError } from "../../core/errors.js";
import { configDefaults } from "../../generated/config-defaults.js";
import { describeLock } from "../../kinds/lock-object.js";
import { acquireLock, type HeldLock, lockTime } from "../../lock/account-lock.js";
import { plan as makePlan } from "../../plan/make-plan.js";
import type { Plan } from "../../plan/plan-format.js";
import { secretResolver } from "../../plan/plan-secrets.js";
import { idsBefore } from "../decide/change-origins.js";
import { type Decision, underServe } from "../decide/decide.js";
import type { StackMemory } from "../records.js";
import type { LoadedStack } from "./load-stack.js";
import type { StackPlan, WholeLook } from "./look.js";
import type { ShownState } from "./outcome.js";
import type { Pass } from "./pass.js";

export interface WriteSteps {
  readonly signal: AbortSignal;
  readonly lock: HeldLock | null;
  readonly ids: StackMemory["ids"];
  readonly lookAgain: () => Promise<WholeLook>;
  readonly decide: (seen: StackPlan) => Decision;
  /** Nothing is sent before. False = the approval that it needs is gone. */
  readonly prepare: (seen: StackPlan, plan: Plan) => Promise<boolean>;
}

export interface Applied {
  readonly plan: Plan;
  readonly report: ApplyReport;
  readonly verification: Verification | null;
}

export interface Written {
  readonly seen: StackPlan | null;
  readonly decision: Decision | null;
  readonly applied: Applied | null;
  readonly stopped: ShownState | null;
  readonly doubt: string | null;
}

const concurrency = 8;

/**
 * Writes what is allowed of a stack: looks and decides again, asks for what lists lack though it was there, plans
 * exactly the allowed set with a rehearsal, records what it is about to do, applies, and verifies with the same
 * selection.
 */
export async function writeStack(pass: Pass, loaded: LoadedStack, steps: WriteSteps): Promise<Written> {
  const { decide, ids = {}, lock, lookAgain, prepare, signal: stop } = steps;
  const whole = await lookAgain();
  const { seen } = whole;
  const decision = decide(seen);
  const unwritten: Written = { seen, decision, applied: null, stopped: null, doubt: null };
  if (decision.apply.length === 0 || stop.aborted) return unwritten;
  const doubt = await whole.lists.whyWrong(idsBefore(decision.apply, seen, ids));
  if (doubt !== null) return { ...unwritten, doubt, stopped: { state: "waiting", reason: "brake", message: doubt } };
  if (stop.aborted) return unwritten;
  const plan = await selectedPlan(whole, decision, loaded);
  const problem = problemOf(plan, decision);
  if (problem !== null) return { ...unwritten, stopped: { state: "refused", reason: null, message: problem } };
  if (plan.operations.length === 0) return unwritten;
  const resolveSecret = secretResolver(loaded.manifests);
  // The store is written, too: what can be known before must not stop the run after it.
  preflight(plan, { resolveSecret });
  // The approval was withdrawn: nothing is written now, and the next look decides without it.
  if (!(await prepare(seen, plan))) return { ...unwritten, decision: decide(seen) };

  const client = lock === null ? pass.client : lock.guard(pass.client);
  const signal = lock === null ? stop : AbortSignal.any([stop, lock.signal]);
  const { hardStop: hardSignal, random } = pass.deps;
  const report = await applyPlan(plan, {
    client,
    concurrency,
    resolveSecret,
    signal,
    hardSignal,
    settleMs: configDefaults.api.settle,
    onEvent: () => undefined,
    clock: pass.deps.steadyClock,
    random,
  });
  const after = await lookAfter(pass, { plan, report }, decision, steps);
  const last = after.seen === null ? null : decide(after.seen);
  const applied = { plan, report, verification: after.verification };
  return { seen: after.seen, decision: last, applied, stopped: null, doubt: null };
}

async function selectedPlan(
  { desired, live, options }: WholeLook,
  { apply: only }: Decision,
  loaded: LoadedStack,
): Promise<Plan> {
  const { provenance } = options;
  const selection = { only, labels: [], files: null, prune: true };
  return loaded.judge(
    makePlan(desired, live, { ...options, only, ...(provenance ? { provenance: { ...provenance, selection } } : {}) }),
  );
}

function problemOf({ changes, operations, refusals }: Plan, { apply }: Decision): string | null {
  const [refusal] = refusals;
  if (refusal !== undefined)
    return underServe(`${refusal.address ?? "the plan"}: ${refusal.message}; ${refusal.remedy}`);
  const allowed = new Set<string>(apply);
  const other = [...changes, ...operations].find(({ address }) => !allowed.has(address));
  return other === undefined ? null : `${other.address} would be written too, which is not allowed automatically`;
}

async function lookAfter(
  { deps }: Pass,
  applied: { readonly plan: Plan; readonly report: ApplyReport },
  { apply: only }: Decision,
  { lookAgain, signal }: WriteSteps,
): Promise<{ readonly seen: StackPlan | null; readonly verification: Verification | null }> {
  let last: Promise<WholeLook> | null = null;
  const look = (): Promise<WholeLook> => (last = lookAgain());
  // A signal may come before any look, or during one. Without one, the next process would take what was written for cut off.
  const lastSeen = async (): Promise<StackPlan | null> => {
    if (last === null && deps.hardStop.aborted) return null;
    return (await (last ?? look()).catch(unseen))?.seen ?? null;
  };
  const { report } = applied;
  if (report.outcome === "failed" || report.interrupted) return { seen: await lastSeen(), verification: null };
  const replan = async (): Promise<Plan> => {
    const { desired, live, options } = await look();
    return makePlan(desired, live, { ...options, only, again: true, rehearse: false });
  };
  const verification = await verify(applied, {
    replan,
    settleMs: configDefaults.api.settle,
    clock: deps.steadyClock,
    signal,
  });
  return { seen: await lastSeen(), verification };
}

function unseen(error: unknown): null {
  if (error instanceof EdgewiseError) return null;
  throw error;
}

const patienceMs = 3000;

export async function underApiLock<T>(
  { deps, input }: Pass,
  { settings: { lock: config, marker: stack } }: LoadedStack,
  signal: AbortSignal,
  work: (lock: HeldLock, run: string) => Promise<T>,
): Promise<T | { readonly locked: string }> {
  const { claim: hold, clock, random, steadyClock } = deps;
  const hash = createHash("sha256").update(`${random()} ${random()} ${random()}`).digest("hex");
  const run = `serve-${hash.slice(0, 24)}`;
  const time = lockTime(
    () => steadyClock.now(),
    () => clock.now(),
  );
  // A client of its own, which no signal cuts off: the lock is to be removed whatever happens.
  const client = await deps.connect(input.account, { concurrency: 2, onServiceTime: time.learn, hold });
  try {
    const { settleMs } = config;
    const acquired = await acquireLock(
      { stack, run, by: "edgewise serve" },
      {
        client,
        clock: steadyClock,
        time,
        random,
        settleMs,
        timeoutMs: 2 * settleMs + patienceMs,
        signal,
        onWait: () => undefined,
        onLeftover: () => undefined,
      },
    );
    if (acquired.type === "locked")
      return { locked: acquired.holder === null ? "its own lock was never listed" : describeLock(acquired.holder) };
    if (acquired.type === "interrupted") return { locked: "it was stopped before it had the lock" };
    try {
      return await work(acquired.lock, run);
    } finally {
      await acquired.lock.release();
    }
  } finally {
    await client.close();
  }
}
