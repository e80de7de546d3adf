import { createHash } from "node:crypto";
import { applyPlan, preflight } from "../../apply/apply-plan.js";
import type { ApplyReport, Verification } from "../../apply/result.js";
import { verify } from "../../apply/verify.js";
import { EdgewiseError } from "../../core/errors.js";
import { configDefaults } from "../../generated/config-defaults.js";
import { describeLock } from "../../kinds/lock-object.js";
import { HeldLock, lockTime } from "../../lock/account-lock.js";
import { plan as makePlan } from "../../plan/make-plan.js";
import { type Plan, unspecified } from "../../plan/plan-format.js";
import { secretResolver } from "../../plan/plan-secrets.js";
import { idsBefore } from "../decide/change-origins.js";
import { type Decision, underServe } from "../decide/decide.js";
import type { ShownState, StackMemory } from "../records.js";
import type { LoadedStack } from "./load-stack.js";
import type { StackPlan, WholeLook } from "./look.js";
import type { Pass } from "./pass.js";

export type WriteSteps = Readonly<{
  signal: AbortSignal;
  lock: HeldLock | null;
  ids: StackMemory["ids"];
  lookAgain: () => Promise<WholeLook>;
  decide: (seen: StackPlan) => Decision;
  /** Nothing is sent before. False = the approval that it needs is gone. */
  prepare: (seen: StackPlan, plan: Plan) => Promise<boolean>;
}>;

export type Written = Readonly<{
  seen: StackPlan | null;
  applied: Readonly<{
    plan: Plan;
    report: ApplyReport;
    verification: Verification | null;
  }> | null;
  stopped: ShownState | null;
}>;

const { settle: settleMs } = configDefaults.api;

/** Looks and decides again, plans exactly the allowed set, records what it is about to do, applies, and verifies. */
export async function writeStack(pass: Pass, loaded: LoadedStack, steps: WriteSteps): Promise<Written> {
  const { decide, ids = {}, lock, lookAgain, prepare, signal: stop } = steps;
  const { hardStop: hardSignal, random, steadyClock: clock } = pass.deps;
  const whole = await lookAgain();
  const { seen } = whole;
  const decision = decide(seen);
  const unwritten = { seen, applied: null, stopped: null };
  if (decision.apply.length === 0 || stop.aborted) return unwritten;
  const doubt = await whole.lists.whyWrong(idsBefore(decision.apply, seen, ids));
  if (doubt !== null) {
    pass.unreadable = doubt;
    return { ...unwritten, stopped: { state: "waiting", reason: "brake", message: doubt } };
  }
  if (stop.aborted) return unwritten;
  const plan = await selectedPlan(whole, decision, loaded);
  const problem = problemOf(plan, decision);
  if (problem !== null) return { ...unwritten, stopped: { state: "refused", reason: null, message: problem } };
  if (plan.operations.length === 0) return unwritten;
  const resolveSecret = secretResolver(loaded.manifests);
  // The store is written, too: what can be known before must not stop the run after it.
  preflight(plan, { resolveSecret });
  if (!(await prepare(seen, plan))) return unwritten;

  const client = lock === null ? pass.client : lock.guard(pass.client);
  const signal = lock === null ? stop : AbortSignal.any([stop, lock.signal]);
  const onEvent = () => undefined;
  const run = { client, concurrency: 8, resolveSecret, signal, hardSignal, settleMs, onEvent, clock, random };
  const report = await applyPlan(plan, run);

  let last: Promise<WholeLook> | null = null;
  const look = (): Promise<WholeLook> => (last = lookAgain());
  let verification: Verification | null = null;
  if (report.outcome !== "failed" && !report.interrupted) {
    const replan = async (): Promise<Plan> => {
      const { desired, live, options } = await look();
      return makePlan(desired, live, { ...options, only: decision.apply, again: true, rehearse: false });
    };
    verification = await verify({ plan, report }, { replan, settleMs, clock, signal: stop });
  }
  // Without a look, the next process would take what was written for cut off.
  const isCut = last === null && hardSignal.aborted;
  const after = isCut ? null : ((await (last ?? look()).catch(unseen))?.seen ?? null);
  return { seen: after, applied: { plan, report, verification }, stopped: null };
}

async function selectedPlan({ desired, live, options }: WholeLook, { apply: only }: Decision, loaded: LoadedStack) {
  const selection = { only, labels: [], files: null, prune: true };
  const provenance = { ...(options.provenance ?? unspecified), selection };
  return loaded.judge(makePlan(desired, live, { ...options, only, provenance }));
}

function problemOf({ changes, operations, refusals }: Plan, { apply }: Decision): string | null {
  const [refusal] = refusals;
  if (refusal !== undefined)
    return underServe(`${refusal.address ?? "the plan"}: ${refusal.message}; ${refusal.remedy}`);
  const allowed = new Set<string>(apply);
  const other = [...changes, ...operations].find(({ address }) => !allowed.has(address));
  return other === undefined ? null : `${other.address} would be written too, which is not allowed automatically`;
}

function unseen(error: unknown): null {
  if (error instanceof EdgewiseError) return null;
  throw error;
}

const patienceMs = 3000;

export async function underApiLock<T>(
  { deps, input }: Pass,
  { settings: { lock, marker: stack } }: LoadedStack,
  signal: AbortSignal,
  work: (lock: HeldLock, run: string) => Promise<T>,
): Promise<T | { readonly locked: string }> {
  const { claim: hold, clock: wall, random, steadyClock: clock } = deps;
  const hash = createHash("sha256").update(`${random()} ${random()} ${random()}`).digest("hex");
  const run = `serve-${hash.slice(0, 24)}`;
  const time = lockTime(
    () => clock.now(),
    () => wall.now(),
  );
  // A client of its own, which no signal cuts off: the lock is to be removed whatever happens.
  const client = await deps.connect(input.account, { concurrency: 2, onServiceTime: time.learn, hold });
  try {
    const ignored = () => undefined;
    const waiting = { settleMs: lock.settleMs, timeoutMs: 2 * lock.settleMs + patienceMs, signal };
    const acquired = await HeldLock.acquire(
      { stack, run, by: "edgewise serve" },
      { client, clock, time, random, ...waiting, onWait: ignored, onLeftover: ignored },
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
