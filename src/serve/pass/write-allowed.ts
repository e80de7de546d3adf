import { createHash } from "node:crypto";
import { worstOf } from "../../kinds/impact.js";
import type { Address } from "../../kinds/names.js";
import type { HeldLock } from "../../lock/held-lock.js";
import type { Plan } from "../../plan/plan-format.js";
import { madeBy } from "../decide/change-origins.js";
import { recordRestores } from "../decide/contested-fields.js";
import type { KeptBeforeWrite } from "./account-pass.js";
import { decideUnderBrake } from "./judge-looks.js";
import { messageOf } from "./look-at-all.js";
import type { LoadedStack } from "./load-stack.js";
import { lookAtStack } from "./look-at-stack.js";
import type { Pass } from "./pass.js";
import type { Judgement, Remembered, SightLook } from "./settle-stack.js";
import { type FoundApproval, judgeSight, spendApproval } from "./stack-approval.js";
import { underApiLock } from "./take-lock.js";
import { type WriteDeps, type Written, writeStack } from "./write-stack.js";

/** A look at a stack that is to be written. */
export type LoadedLook = SightLook & {
  readonly loaded: LoadedStack;
  /** What somebody approved, and is not spent yet. */
  readonly found: FoundApproval | null;
};

/** What became of the wish to write a stack. */
export type WriteAttempt =
  | { readonly written: Written; readonly ending: "done" | "deadline" | "stopped" }
  | { readonly locked: string };

/**
 * Writes what is allowed of a stack, under the account's API lock when its configuration wants it, until its deadline: then
 * nothing new is begun, and what runs ends as `apply` does.
 */
export async function writeAllowed(
  pass: Pass,
  look: LoadedLook,
  judgement: Judgement,
  remembered: Remembered,
): Promise<WriteAttempt> {
  const { deps } = pass;
  const { target } = look.due;
  const { settings } = look.loaded;
  const began = deps.clock.now();
  const late = new AbortController();
  const ended = new AbortController();
  void deps.clock.sleep(target.entry.policy.deadlineMs, ended.signal).then(() => late.abort("deadline"));
  const signal = AbortSignal.any([deps.stop, late.signal]);
  try {
    const write = async (lock: HeldLock | null, run: string | null): Promise<Written> =>
      writeStack(look.loaded, remembered.memory, lock, writeDeps({ pass, look, judgement, remembered, signal, run }));
    const run = runId(deps.random);
    const attempt = settings.lock.wanted
      ? await underApiLock(lockNeeds(pass, look, run, signal), (lock) => write(lock, run))
      : { done: await write(null, null) };
    if ("locked" in attempt) return attempt;
    remembered.memory = attempt.done.memory;
    if (attempt.done.doubt !== null) pass.blinded = attempt.done.doubt;
    conclude(pass, look, attempt.done, began);
    const ending = deps.stop.aborted ? "stopped" : late.signal.aborted ? "deadline" : "done";
    return { written: attempt.done, ending };
  } finally {
    ended.abort();
  }
}

interface Writing {
  readonly pass: Pass;
  readonly look: LoadedLook;
  readonly judgement: Judgement;
  readonly remembered: Remembered;
  readonly signal: AbortSignal;
  /** Of the API lock; null = it was not taken. */
  readonly run: string | null;
}

function writeDeps({ judgement, look, pass, remembered, run, signal }: Writing): WriteDeps {
  const { deps, input } = pass;
  const { due, loaded } = look;
  let looks = 0;
  let { found } = look;
  let unsaid: FoundApproval | null = null;
  let heal: KeptBeforeWrite["heal"] = null;
  let { listed } = pass;
  return {
    client: pass.client,
    clock: deps.clock,
    steadyClock: deps.steadyClock ?? deps.clock,
    random: deps.random,
    signal,
    hardSignal: deps.hardStop,
    lookAgain: async () => {
      const now = deps.clock.now();
      // Under the API lock, and to verify, only lists that were begun after it will do.
      const listing = pass.listForWriting(run !== null || looks > 0);
      looks += 1;
      const { memory } = remembered;
      const commit = look.sight.plan.commit ?? "";
      const subject = { loaded, commit, baseUrl: input.account.baseUrl, memory, lockRun: run, now };
      try {
        const whole = await lookAtStack(subject, listing);
        listed = await listing.counts(pass.listed);
        // After a write, what is missing is told by what did not converge.
        if (looks > 1) pass.believe(listed);
        return whole;
      } catch (error) {
        if (!deps.hardStop.aborted) pass.blinded = messageOf(error);
        throw error;
      }
    },
    decide: (sight) => {
      const now = deps.clock.now();
      const { memory } = remembered;
      const { account } = judgement;
      const decide = (approved: ReadonlySet<Address>) =>
        decideUnderBrake(pass, look.due, sight, { account, memory, listed, now, approved });
      return judgeSight(pass, { sight, loaded, marker: look.marker, memory, decide, found }).decision;
    },
    spend: async (memory, plan) => {
      if (found === null || !touches(found, plan)) return memory;
      const spent = await spendApproval(pass, due, found, memory);
      if (spent !== null) unsaid = found;
      found = null;
      return spent;
    },
    beforeWrite: (memory, sight, plan) => {
      const at = deps.clock.now();
      const writing = { since: at, made: madeBy(plan, sight.states) };
      const changes = plan.changes.filter(({ address }) => sight.origins.get(address) === "drift").length;
      heal = changes === 0 ? null : { changes, impact: worstOf(plan.changes)?.impact ?? "none" };
      return { ...recordRestores(memory, plan.changes, { origins: sight.origins, at }), writing };
    },
    save: async (memory) => {
      await deps.claim.assertHeld();
      // Heals of a process that is killed count, too.
      const account = judgement.account.heals[due.target.name] === undefined ? null : judgement.account;
      await deps.saveBeforeWrite(due.target.name, { memory, account, heal });
      remembered.memory = memory;
      // It is spent when that is saved.
      if (unsaid !== null) tellSpent(pass, look, unsaid);
      unsaid = null;
    },
    onStart: (plan) => {
      pass.expectDeletes(plan);
      announce(pass, look, plan);
    },
  };
}

function announce({ deps }: Pass, { due, sight }: LoadedLook, plan: Plan): void {
  const impact = worstOf(plan.changes)?.impact ?? "none";
  const operations = plan.operations.length;
  const drift = plan.changes.filter(({ address }) => sight.origins.get(address) === "drift").length;
  deps.emit({ event: "apply-started", stack: due.target.name, commit: plan.commit ?? "", operations, impact, drift });
}

/** Whether any of a plan's changes is one that was approved. */
function touches(found: FoundApproval, plan: Plan): boolean {
  const approved = new Set(found.changes.map(({ address }) => address));
  return plan.changes.some(({ address }) => approved.has(address));
}

function tellSpent({ deps }: Pass, { due }: LoadedLook, { approver, digest, tag }: FoundApproval): void {
  deps.emit({ event: "approval-spent", stack: due.target.name, digest, approver, tag });
}

function conclude({ deps }: Pass, { due }: LoadedLook, { applied }: Written, began: number): void {
  if (applied === null) return;
  const { plan, report, verification } = applied;
  const verified = verification?.verified ?? null;
  const about = { stack: due.target.name, commit: plan.commit ?? "" };
  deps.emit({ event: "apply-ended", ...about, outcome: report.outcome, verified, ms: deps.clock.now() - began });
}

function lockNeeds({ deps, input }: Pass, { loaded }: LoadedLook, run: string, signal: AbortSignal) {
  const { claim: hold, clock, random } = deps;
  return {
    stack: loaded.settings.marker,
    run,
    config: loaded.settings.lock,
    clock,
    steadyClock: deps.steadyClock ?? clock,
    random,
    signal,
    connect: (changes: Parameters<typeof deps.connect>[1]) => deps.connect(input.account, { ...changes, hold }),
  };
}

/** Names one pass in the account's lock. */
function runId(random: () => number): string {
  const hash = createHash("sha256").update(`${random()} ${random()} ${random()}`).digest("hex");
  return `serve-${hash.slice(0, 24)}`;
}
