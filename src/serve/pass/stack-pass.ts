import { applyPlan, preflight } from "../../apply/apply-plan.js";
import type { ApplyReport, Verification } from "../../apply/result.js";
import { verify } from "../../apply/verify.js";
import { EdgewiseError } from "../../core/errors.js";
import { count } from "../../core/text.js";
import { configDefaults } from "../../generated/config-defaults.js";
import { worstOf } from "../../kinds/impact.js";
import { describeLock } from "../../kinds/lock-object.js";
import { HeldLock, lockTime } from "../../lock/account-lock.js";
import { plan as makePlan } from "../../plan/make-plan.js";
import { type Plan, unspecified } from "../../plan/plan-format.js";
import { secretResolver, shownPlan } from "../../plan/plan-secrets.js";
import { judgeBrake, recordRestores } from "../decide/brake.js";
import { idsAfter, idsBefore, syncedAfter } from "../decide/change-origins.js";
import { type BrakeVerdict, type Decision, dayMs, decide, deletesOf, noBrake, underServe } from "../decide/decide.js";
import { failureWords, stateChanged } from "../serve-events.js";
import type { AccountRecord, ShownState, SpentApproval, StackMemory } from "../records.js";
import type { LoadedStack } from "./load-stack.js";
import { type Ending, recordOutcome, troubleOf, unseenEnding } from "./outcome.js";
import type { StackOutcome } from "../serve-deps.js";
import {
  type Look,
  type SeenLook,
  type StackPlan,
  type WholeLook,
  brakeLookOf,
  decisionInput,
  planStack,
  planWithOrigins,
  type Pass,
} from "./pass.js";
import { type FoundApproval, type JudgedPlan, findApproval, judgeApprovals, spendApproval } from "./stack-approval.js";

type StackJudgement = Readonly<{ account: AccountRecord; verdict: BrakeVerdict; memory: StackMemory }>;

export async function passStack(pass: Pass, look: Look, judgement: StackJudgement): Promise<StackOutcome | null> {
  const { deps } = pass;
  let { memory } = judgement;
  let ending: Ending;
  if (look.saw === "nothing") ending = unseenEnding(look.message);
  else {
    const stack = new StackPass(pass, look, judgement);
    try {
      ending = await stack.run();
    } catch (error) {
      ending = unseenEnding(failureWords(error));
    }
    ({ memory } = stack);
  }
  // Of what was written, everything is recorded, however it ended.
  if (deps.hardStop.aborted && ending.applied === null) return null;
  const outcome = recordOutcome(pass, look, ending, memory);
  announce(pass, look, outcome);
  return outcome;
}

function announce({ deps }: Pass, { began, due }: Look, { record }: StackOutcome): void {
  const { commit, reason, state } = record.status;
  deps.emit({ event: "stack-looked", stack: record.name, commit, state, reason, ms: deps.clock.now() - began });
  const before = due.record?.status ?? null;
  if (before?.state !== state || before.reason !== reason) deps.emit(stateChanged(before, record));
}

function locked(message: string): ShownState {
  return { state: "waiting", reason: "locked", message };
}

type Written = Readonly<{
  seen: StackPlan | null;
  applied: Readonly<{ plan: Plan; report: ApplyReport; verification: Verification | null }> | null;
  stopped: ShownState | null;
}>;

const { settle: settleMs } = configDefaults.api;
const lockPatienceMs = 3000;
const shownProblems = 3;

class StackPass {
  /** Recorded, whatever comes. */
  memory: StackMemory;
  #found: FoundApproval | null = null;

  constructor(
    private readonly pass: Pass,
    private readonly look: SeenLook,
    private readonly judgement: StackJudgement,
  ) {
    this.memory = judgement.memory;
  }

  async run(): Promise<Ending> {
    const { look, pass } = this;
    const { due, loaded, seen } = look;
    const judged = this.#judge(seen);
    this.#remember(judged, seen);
    await this.#keepPlan(seen);
    const isWritable = pass.whyNotWritten(due) === null;
    const { found, problems } = isWritable ? await findApproval(pass, due, judged) : { found: null, problems: [] };
    this.#found = found;
    const { message, ...decided } = found === null ? judged.decision : this.#judge(seen).decision;
    const decision = { ...decided, message: [message, ...problems.slice(0, shownProblems)].join("; ") };
    const ending = { shown: decision, seen, decision, applied: null };
    if (decision.apply.length === 0 || loaded === null) return ending;
    const why = pass.whyNotWritten(due);
    if (why !== null) return { ...ending, shown: { ...decision, message: `${decision.message}; not applied: ${why}` } };
    // Other stacks of the account have their turn.
    const lock = seen.plan.warnings.find(({ code }) => code === "account-locked");
    if (loaded.settings.lock.wanted && lock !== undefined) return { ...ending, shown: locked(lock.message) };
    const { changes, impact } = decision;
    const onTheWay = `${count(decision.apply.length, "change")} on the way`;
    const pending = { changes, impact, commit: seen.plan.commit, lookedAt: seen.began, message: onTheWay };
    pass.deps.onPending(due.target.name, pending);
    return this.#write(loaded, decision);
  }

  #judge(seen: StackPlan): JudgedPlan {
    const { look, memory, pass } = this;
    const { due, loaded, marker } = look;
    const input = decisionInput(pass, due, seen, memory);
    const unbraked = seen === look.seen ? look.decision : decide(input);
    const brake = this.#brakeOn(seen, unbraked);
    const plain = brake.stopped === null && brake.resources.size === 0 ? unbraked : decide({ ...input, brake });
    const asked = { seen, loaded, marker, memory, plain, found: this.#found };
    return judgeApprovals(pass, { ...asked, decide: (approved) => decide({ ...input, brake, approved }) });
  }

  #brakeOn(seen: StackPlan, decision: Decision): BrakeVerdict {
    const { judgement, look, pass } = this;
    if (seen === look.seen) return judgement.verdict;
    const looks = [brakeLookOf({ ...look, seen, decision })];
    const about = { account: judgement.account, stacks: pass.input.stacks, now: pass.deps.clock.now() };
    const { stacks } = judgeBrake({ ...about, looks, unreadable: null });
    return stacks.get(look.due.target.name)?.verdict ?? noBrake;
  }

  #remember({ memory }: JudgedPlan, { plan, sources, states }: StackPlan): void {
    const { deps } = this.pass;
    const isQuiet = deps.clock.now() < deps.claim.quietUntil;
    const synced = syncedAfter(states, plan, memory.synced);
    const ids = idsAfter(states, memory.ids ?? {});
    this.memory = { ...memory, synced, ids, sources, writing: isQuiet ? (memory.writing ?? null) : null };
  }

  async #keepPlan(seen: StackPlan): Promise<void> {
    const { due, loaded } = this.look;
    const { changes, refusals } = seen.plan;
    const isEmpty = changes.length === 0 && refusals.length === 0;
    if (isEmpty && due.record?.status.state === "synced" && seen === this.look.seen) return;
    const redact = (text: string): string => loaded?.redactor.redact(text) ?? text;
    const kept = isEmpty || loaded === null ? null : shownPlan(planWithOrigins(seen), redact);
    await this.pass.deps.store.savePlan(due.target.name, kept);
  }

  async #write(loaded: LoadedStack, before: Decision): Promise<Ending> {
    const { clock, emit, stop } = this.pass.deps;
    const { entry, name } = this.look.due.target;
    const began = clock.now();
    const [late, over] = [new AbortController(), new AbortController()];
    void clock.sleep(entry.policy.deadlineMs, over.signal).then(() => late.abort("deadline"));
    const written = this.#writeUnderLock(loaded, AbortSignal.any([stop, late.signal]));
    const { applied, seen, stopped } = await written.finally(() => over.abort());
    this.#found = null;
    const approval = applied && this.#approvalOf(applied.plan);
    const judged = seen && this.#judge(seen);
    if (seen !== null && judged !== null) {
      this.#remember(judged, seen);
      if (applied !== null) await this.#keepPlan(seen);
    }
    const decision = judged?.decision ?? before;
    if (applied === null) return { shown: stopped ?? decision, seen, decision, applied };
    const { plan, report, verification } = applied;
    const about = { stack: name, commit: plan.commit ?? "", outcome: report.outcome };
    emit({ event: "apply-ended", ...about, verified: verification?.verified ?? null, ms: clock.now() - began });
    const end = stop.aborted ? "stopped" : late.signal.aborted ? "deadline" : "done";
    const trouble = troubleOf(report, verification, end);
    const message = trouble ?? "it was applied, and not looked at since";
    const failed = { state: end === "stopped" ? "pending" : "failed", reason: null, message } as const;
    const shown = trouble === null && judged !== null ? decision : failed;
    return { shown, seen, decision, applied: { plan, report, trouble, approval } };
  }

  #approvalOf({ changes: applied }: Plan): SpentApproval | null {
    const addresses = new Set<string>(applied.map(({ address }) => address));
    const { spending = [] } = this.memory.approval ?? {};
    return spending.findLast(({ changes }) => changes.some(({ address }) => addresses.has(address))) ?? null;
  }

  async #writeUnderLock(loaded: LoadedStack, signal: AbortSignal): Promise<Written> {
    const { deps, input } = this.pass;
    const { lock, marker: stack } = loaded.settings;
    if (!lock.wanted) return this.#lookAndWrite(loaded, signal, null, null);
    const { approvals, claim: hold, clock: wall, random, steadyClock: clock } = deps;
    const run = `serve-${approvals.draw().slice(-24)}`;
    const time = lockTime(
      () => clock.now(),
      () => wall.now(),
    );
    // No signal cuts its client off: the lock is to be removed whatever happens.
    const client = await deps.connect(input.account, { concurrency: 2, onServiceTime: time.learn, hold });
    try {
      const ignored = () => undefined;
      const waiting = { settleMs: lock.settleMs, timeoutMs: 2 * lock.settleMs + lockPatienceMs, signal };
      const acquired = await HeldLock.acquire(
        { stack, run, by: "edgewise serve" },
        { client, clock, time, random, ...waiting, onWait: ignored, onLeftover: ignored },
      );
      if (acquired.type !== "held") {
        const holder = acquired.type === "locked" && acquired.holder;
        const own =
          acquired.type === "locked" ? "its own lock was never listed" : "it was stopped before it had the lock";
        const stopped = locked(`the account is locked: ${holder ? describeLock(holder) : own}`);
        return { seen: this.look.seen, applied: null, stopped };
      }
      try {
        return await this.#lookAndWrite(loaded, signal, acquired.lock, run);
      } finally {
        await acquired.lock.release();
      }
    } finally {
      await client.close();
    }
  }

  async #lookAndWrite(
    loaded: LoadedStack,
    stop: AbortSignal,
    lock: HeldLock | null,
    lockRun: string | null,
  ): Promise<Written> {
    const { look, pass } = this;
    const { hardStop: hardSignal, random, steadyClock: clock } = pass.deps;
    const commit = look.seen.plan.commit ?? "";
    let looks = 0;
    const lookAgain = async (): Promise<WholeLook> => {
      // Under the API lock, and to verify, only lists that were begun after it will do.
      const lists = pass.listForWriting(lockRun !== null || looks > 0);
      looks += 1;
      try {
        return await planStack(pass, { loaded, commit, memory: this.memory, lockRun }, lists);
      } catch (error) {
        if (!hardSignal.aborted) pass.unreadable = failureWords(error);
        throw error;
      }
    };
    const whole = await lookAgain();
    const { seen } = whole;
    const { decision } = this.#judge(seen);
    const unwritten = { seen, applied: null, stopped: null };
    if (decision.apply.length === 0 || stop.aborted) return unwritten;
    const doubt = await whole.lists.whyWrong(idsBefore(decision.apply, seen, this.memory.ids ?? {}));
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
    // What can be known before `prepare` saves must not stop the run after it.
    preflight(plan, resolveSecret);
    if (!(await this.#prepare(seen, plan))) return unwritten;

    const client = lock === null ? pass.client : lock.guard(pass.client);
    const signal = lock === null ? stop : AbortSignal.any([stop, lock.signal]);
    const onEvent = () => undefined;
    const run = { client, concurrency: 8, resolveSecret, signal, hardSignal, settleMs, onEvent, clock, random };
    const report = await applyPlan(plan, run);
    // Lists that don't show what was made yet must not have it made again.
    const made = report.operations.flatMap(({ address, kind, resourceId, status }) =>
      kind === "create" && status === "done" && resourceId !== null ? [[address, resourceId] as const] : [],
    );
    if (made.length > 0) this.memory = { ...this.memory, ids: { ...this.memory.ids, ...Object.fromEntries(made) } };

    let last: Promise<WholeLook> | null = null;
    const lookOnce = (): Promise<WholeLook> => (last = lookAgain());
    let verification: Verification | null = null;
    if (report.outcome !== "failed" && !report.interrupted) {
      const replan = async (): Promise<Plan> => {
        const { desired, live, options } = await lookOnce();
        return makePlan(desired, live, { ...options, only: decision.apply, again: true, rehearse: false });
      };
      verification = await verify({ plan, report }, { replan, settleMs, clock, signal: stop });
    }
    // Without a look, the next process would take what was written for cut off.
    const isCut = last === null && hardSignal.aborted;
    const after = isCut ? null : ((await (last ?? lookOnce()).catch(unseen))?.seen ?? null);
    return { seen: after, applied: { plan, report, verification }, stopped: null };
  }

  /** Spends the approval that a plan needs, and saves what it deletes, puts back and makes. */
  async #prepare({ origins }: StackPlan, plan: Plan): Promise<boolean> {
    const { judgement, look, pass } = this;
    const { due } = look;
    const { claim, clock, emit } = pass.deps;
    const { name } = due.target;
    const approved = new Set<string>(this.#found?.changes.map(({ address }) => address));
    const found = plan.changes.some(({ address }) => approved.has(address)) ? this.#found : null;
    let memory: StackMemory | null = this.memory;
    if (found !== null) {
      memory = await spendApproval(pass, due, found, memory);
      this.#found = null;
    }
    if (memory === null) return false;
    const at = clock.now();
    const recent = memory.deletes.filter((time) => time > at - dayMs);
    const deletes = [...recent, ...Array.from({ length: deletesOf(plan) }, () => at)];
    memory = recordRestores({ ...memory, deletes }, plan.changes, { origins, at });
    memory = { ...memory, writing: { since: at } };
    const drift = plan.changes.filter(({ address }) => origins.get(address) === "drift").length;
    const impact = worstOf(plan.changes)?.impact ?? "none";
    await claim.assertHeld();
    const account = judgement.account.heals[name] === undefined ? null : judgement.account;
    await pass.deps.saveBeforeWrite(name, { memory, account, heal: drift === 0 ? null : { changes: drift, impact } });
    this.memory = memory;
    if (found !== null) {
      const { approver, digest, tag } = found;
      emit({ event: "approval-spent", stack: name, digest, approver, tag });
    }
    const operations = plan.operations.length;
    emit({ event: "apply-started", stack: name, commit: plan.commit ?? "", operations, impact, drift });
    return true;
  }
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
