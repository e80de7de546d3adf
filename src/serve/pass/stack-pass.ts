import { worstOf } from "../../kinds/impact.js";
import type { HeldLock } from "../../lock/account-lock.js";
import type { Plan } from "../../plan/plan-format.js";
import { shownPlan } from "../../plan/plan-secrets.js";
import { count } from "../../core/text.js";
import { judgeBrake, recordRestores } from "../decide/brake.js";
import { idsAfter, syncedAfter } from "../decide/change-origins.js";
import { type BrakeVerdict, type Decision, decide, deletesOf, noBrake } from "../decide/decide.js";
import { failureWords, stateChanged } from "../serve-events.js";
import type { AccountRecord, ShownState, SpentApproval, StackMemory } from "../records.js";
import type { LoadedStack } from "./load-stack.js";
import {
  type Look,
  type SeenLook,
  type StackPlan,
  brakeLookOf,
  decisionInput,
  planStack,
  planWithOrigins,
} from "./look.js";
import { type Ending, recordOutcome, troubleOf, unseenEnding } from "./outcome.js";
import type { StackOutcome } from "../serve-deps.js";
import type { Pass } from "./pass.js";
import { type FoundApproval, type JudgedPlan, findApproval, judgeApprovals, spendApproval } from "./stack-approval.js";
import { type Written, underApiLock, writeStack } from "./write-stack.js";

type StackJudgement = Readonly<{
  account: AccountRecord;
  verdict: BrakeVerdict;
  memory: StackMemory;
}>;

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

const shownProblems = 3;
const dayMs = 24 * 3_600_000;

class StackPass {
  /** What was saved must be in the stack's record, whatever comes. */
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
    // What was just seen need not be waited for: other stacks of the account have their turn.
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
    // Thousands of stacks in sync have no plan, and had none.
    if (isEmpty && due.record?.status.state === "synced" && seen === this.look.seen) return;
    const redact = (text: string): string => loaded?.redactor.redact(text) ?? text;
    const kept = isEmpty || loaded === null ? null : shownPlan(planWithOrigins(seen), redact);
    await this.pass.deps.store.savePlan(due.target.name, kept);
  }

  /** After the deadline nothing new is begun, and what runs ends as `apply` does. */
  async #write(loaded: LoadedStack, before: Decision): Promise<Ending> {
    const { look, pass } = this;
    const { clock, emit, stop } = pass.deps;
    const { entry, name } = look.due.target;
    const began = clock.now();
    const [late, over] = [new AbortController(), new AbortController()];
    void clock.sleep(entry.policy.deadlineMs, over.signal).then(() => late.abort("deadline"));
    const signal = AbortSignal.any([stop, late.signal]);
    let written: Written | { readonly locked: string };
    try {
      written = loaded.settings.lock.wanted
        ? await underApiLock(pass, loaded, signal, (lock, run) => this.#writeUnder(loaded, signal, lock, run))
        : await this.#writeUnder(loaded, signal, null, null);
    } finally {
      over.abort();
    }
    if ("locked" in written) {
      const shown = locked(`the account is locked: ${written.locked}`);
      return { shown, seen: look.seen, decision: before, applied: null };
    }
    const { applied, seen, stopped } = written;
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

  async #writeUnder(
    loaded: LoadedStack,
    signal: AbortSignal,
    lock: HeldLock | null,
    lockRun: string | null,
  ): Promise<Written> {
    const { look, pass } = this;
    const commit = look.seen.plan.commit ?? "";
    let looks = 0;
    const written = await writeStack(pass, loaded, {
      signal,
      lock,
      ids: this.memory.ids,
      lookAgain: async () => {
        // Under the API lock, and to verify, only lists that were begun after it will do.
        const lists = pass.listForWriting(lockRun !== null || looks > 0);
        looks += 1;
        try {
          return await planStack(pass, { loaded, commit, memory: this.memory, lockRun }, lists);
        } catch (error) {
          if (!pass.deps.hardStop.aborted) pass.unreadable = failureWords(error);
          throw error;
        }
      },
      decide: (seen) => this.#judge(seen).decision,
      prepare: (seen, plan) => this.#prepare(seen, plan),
    });
    // Lists that don't show what was made yet must not have it made again.
    const made = (written.applied?.report.operations ?? []).flatMap(({ address, kind, resourceId, status }) =>
      kind === "create" && status === "done" && resourceId !== null ? [[address, resourceId] as const] : [],
    );
    if (made.length > 0) this.memory = { ...this.memory, ids: { ...this.memory.ids, ...Object.fromEntries(made) } };
    return written;
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
