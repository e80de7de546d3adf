import type { Client, Clock } from "../../api/client.js";
import { applyPlan } from "../../apply/apply-plan.js";
import { configDefaults } from "../../generated/config-defaults.js";
import { preflight, secretResolver } from "../../apply/preflight.js";
import type { ApplyReport, Verification } from "../../apply/result.js";
import { verify } from "../../apply/verify.js";
import { EdgewiseError } from "../../core/errors.js";
import type { HeldLock } from "../../lock/held-lock.js";
import { plan as makePlan } from "../../plan/make-plan.js";
import type { Plan } from "../../plan/plan-format.js";
import type { Decision } from "../decide/decision.js";
import { deletesOf, underServe } from "../decide/refused.js";
import type { StackMemory } from "../records.js";
import type { LoadedStack } from "./load-stack.js";
import type { Sight, WholeSight } from "./look-at-stack.js";
import { whyListsLie } from "./why-lists-lie.js";

/** What writing one stack needs. */
export interface WriteDeps {
  /** Sends nothing once this process may no longer write. */
  readonly client: Client;
  readonly clock: Clock;
  /** Measures pauses: a clock that is set back must not make them last. */
  readonly steadyClock: Clock;
  readonly random: () => number;
  /** Aborted = begin nothing new. */
  readonly signal: AbortSignal;
  readonly hardSignal: AbortSignal;
  /** Lists anew, after every write so far, and plans the whole stack. */
  readonly lookAgain: () => Promise<WholeSight>;
  readonly decide: (sight: Sight) => Decision;
  /** The memory with what the plan is about to put back. */
  readonly beforeWrite: (memory: StackMemory, sight: Sight, plan: Plan) => StackMemory;
  /** The memory once the approval of the plan is spent, when it needs one; null = there is none any more. */
  readonly spend: (memory: StackMemory, plan: Plan) => Promise<StackMemory | null>;
  /** Keeps the memory; nothing is sent before. */
  readonly save: (memory: StackMemory) => Promise<void>;
  readonly onStart: (plan: Plan) => void;
}

/** What became of one write. */
export interface Written {
  readonly memory: StackMemory;
  /** The last complete look: before the write when nothing was written, else after it. Null = there was none after it. */
  readonly sight: Sight | null;
  readonly decision: Decision | null;
  /** Null = nothing was to be written any more. */
  readonly applied: {
    readonly plan: Plan;
    readonly report: ApplyReport;
    readonly verification: Verification | null;
  } | null;
  /** Why it must not be written after all; null = nothing speaks against it. */
  readonly problem: string | null;
  /** Why the lists that it would be written by can't be believed; null = they can. */
  readonly doubt: string | null;
}

/** How many operations are in flight at one time. */
const concurrency = 8;

/**
 * Writes what is allowed of a stack: looks and decides again, asks for what lists lack though it was there, plans exactly
 * the allowed set with a rehearsal, records what it is about to delete and put back, applies, and verifies with the same
 * selection.
 * @throws EdgewiseError before anything is sent: lists that can't be read, a secret that is missing, a store that is full
 */
export async function writeStack(
  loaded: LoadedStack,
  memory: StackMemory,
  lock: HeldLock | null,
  deps: WriteDeps,
): Promise<Written> {
  const whole = await deps.lookAgain();
  const before = whole.sight;
  const decision = deps.decide(before);
  const unwritten = { memory, sight: before, decision, applied: null, problem: null, doubt: null };
  if (decision.apply.length === 0 || deps.signal.aborted) return unwritten;
  const doubt = await whyListsLie(whole, decision.apply, memory, deps.client);
  if (doubt !== null) return { ...unwritten, doubt };
  if (deps.signal.aborted) return unwritten;
  const plan = await selectedPlan(whole, decision, loaded);
  const problem = problemOf(plan, decision);
  if (problem !== null) return { ...unwritten, problem };
  if (plan.operations.length === 0) return unwritten;
  const resolveSecret = secretResolver(loaded.manifests);
  // The store is written, too: what can be known before must not stop the run after it.
  preflight(plan, { resolveSecret });
  const spent = await deps.spend(memory, plan);
  // The approval was withdrawn: nothing is written now, and the next look decides without it.
  if (spent === null) return { ...unwritten, decision: deps.decide(before) };
  const remembered = deps.beforeWrite(withDeletes(spent, plan, deps.clock.now()), before, plan);
  await deps.save(remembered);

  deps.onStart(plan);
  const client = lock === null ? deps.client : lock.guard(deps.client);
  const signal = lock === null ? deps.signal : AbortSignal.any([deps.signal, lock.signal]);
  const { steadyClock: clock, hardSignal, random } = deps;
  const report = await applyPlan(plan, {
    client,
    concurrency,
    resolveSecret,
    signal,
    hardSignal,
    failFast: false,
    settleMs: configDefaults.api.settle,
    onEvent: () => undefined,
    clock,
    random,
  });
  const after = await lookAfter({ plan, report }, decision, deps);
  return {
    memory: withCreated(remembered, report),
    sight: after.sight,
    decision: after.sight === null ? null : deps.decide(after.sight),
    applied: { plan, report, verification: after.verification },
    problem: null,
    doubt: null,
  };
}

/** The plan of the allowed set, rehearsed and judged. */
async function selectedPlan({ sides }: WholeSight, { apply }: Decision, loaded: LoadedStack): Promise<Plan> {
  const { desired, live, options } = sides;
  const { provenance } = options;
  const selection = { only: apply, labels: [], files: null, prune: true };
  const selected = { ...options, only: apply, ...(provenance ? { provenance: { ...provenance, selection } } : {}) };
  return loaded.judge(makePlan(desired, live, selected));
}

/** Why a selected plan must not run, for people; null = it may. The set is closed, so it should contain nothing else. */
function problemOf({ changes, operations, refusals }: Plan, { apply }: Decision): string | null {
  const [refusal] = refusals;
  if (refusal !== undefined)
    return underServe(`${refusal.address ?? "the plan"}: ${refusal.message}; ${refusal.remedy}`);
  const allowed = new Set<string>(apply);
  const other = [...changes, ...operations].find(({ address }) => !allowed.has(address));
  return other === undefined ? null : `${other.address} would be written too, which is not allowed unasked`;
}

interface AfterWrite {
  readonly sight: Sight | null;
  readonly verification: Verification | null;
}

/** Verifies as `apply` does, and keeps the last look. When nothing was changed, or a signal came, it only looks. */
async function lookAfter(
  applied: { readonly plan: Plan; readonly report: ApplyReport },
  { apply }: Decision,
  { hardSignal, lookAgain, signal, steadyClock: clock }: WriteDeps,
): Promise<AfterWrite> {
  const looks: Promise<WholeSight>[] = [];
  const look = async (): Promise<WholeSight> => {
    const begun = lookAgain();
    looks.push(begun);
    return begun;
  };
  // A signal may come before any look, or during one. Without one, the next process would take what was written for cut off.
  const lastSight = async (): Promise<Sight | null> => {
    if (looks.length === 0 && hardSignal.aborted) return null;
    return (await (looks.at(-1) ?? look()).catch(unseen))?.sight ?? null;
  };
  const { report } = applied;
  if (report.outcome === "failed" || report.interrupted) return { sight: await lastSight(), verification: null };
  const replan = async (): Promise<Plan> => {
    const { sides } = await look();
    const { desired, live, options } = sides;
    return makePlan(desired, live, { ...options, only: apply, again: true, rehearse: false });
  };
  const verification = await verify(applied, { replan, settleMs: configDefaults.api.settle, clock, signal });
  return { sight: await lastSight(), verification };
}

/** What can't be seen now is looked at by the next pass. */
function unseen(error: unknown): null {
  if (error instanceof EdgewiseError) return null;
  throw error;
}

const dayMs = 24 * 3_600_000;

/** The memory with the deletes of a plan that is about to be applied; those of more than a day ago are forgotten. */
function withDeletes(memory: StackMemory, plan: Plan, now: number): StackMemory {
  const recent = memory.deletes.filter((at) => at > now - dayMs);
  return { ...memory, deletes: [...recent, ...Array.from({ length: deletesOf(plan) }, () => now)] };
}

/** The memory with the ids of what was made: lists that don't show it yet must not have it made again. */
function withCreated(memory: StackMemory, { operations }: ApplyReport): StackMemory {
  const made = operations.flatMap(({ address, kind, resourceId, status }) =>
    kind === "create" && status === "done" && resourceId !== null ? [[address, resourceId] as const] : [],
  );
  return made.length === 0 ? memory : { ...memory, ids: { ...memory.ids, ...Object.fromEntries(made) } };
}
