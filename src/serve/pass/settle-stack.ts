import { shownPlan } from "../../plan/plan-secrets.js";
import { count } from "../../text/layout.js";
import { idsAfter, knownSynced, syncedAfter } from "../decide/change-origins.js";
import type { BrakeVerdict, Decision } from "../decide/decision.js";
import type { AccountRecord, StackMemory, StackStatus } from "../records.js";
import type { StackOutcome } from "./account-pass.js";
import { decideStack } from "./decide-stack.js";
import { type Findings, cutShort, fromDecision, fromRest, fromWrite, lockedOut, nothingSeen } from "./findings.js";
import { decideUnderBrake } from "./judge-looks.js";
import { type Look, messageOf } from "./look-at-all.js";
import { type Sight, planWithOrigins } from "./look-at-stack.js";
import type { Pass } from "./pass.js";
import { type ApprovalSearch, type JudgedSight, findApproval, judgeSight } from "./stack-approval.js";
import { recordOutcome } from "./record-outcome.js";
import { writeAllowed } from "./write-allowed.js";

/** What the brake said of a stack after all looks. */
export interface Judgement {
  readonly account: AccountRecord;
  readonly brake: BrakeVerdict;
  readonly memory: StackMemory;
}

/** What is remembered of a stack while its pass runs: what was saved must be in its record, whatever comes. */
export interface Remembered {
  memory: StackMemory;
}

/** A look that saw the stack. */
export type SightLook = Extract<Look, { saw: "sight" }>;

/**
 * Decides what is done about a look, does it, and records what became of the stack. Null when everything was cut off: what
 * is kept stays as it is.
 */
export async function settleStack(pass: Pass, look: Look, judgement: Judgement): Promise<StackOutcome | null> {
  const { deps, input, memo } = pass;
  const { due } = look;
  const remembered = { memory: judgement.memory };
  let found: Findings;
  try {
    found = await settled(pass, look, judgement, remembered);
  } catch (error) {
    memo.stirs(due.target.name);
    found = nothingSeen(due, messageOf(error), remembered.memory);
  }
  // Of what was written, everything is told, however it ended.
  if (deps.hardStop.aborted && found.applied === null) return null;
  const now = deps.clock.now();
  const random = deps.random();
  const { account, quietUntil } = input;
  const { dryRun } = deps;
  const recorded = recordOutcome(found, { due, account, now, random, dryRun, notBefore: quietUntil ?? 0 });
  tell(pass, look, recorded.record.status);
  return recorded;
}

async function settled(pass: Pass, look: Look, judgement: Judgement, remembered: Remembered): Promise<Findings> {
  const { due } = look;
  if (look.saw === "nothing") return nothingSeen(due, look.message, remembered.memory);
  if (look.saw === "rest") return fromRest(due, look.listed, remembered.memory);
  const { deps } = pass;
  const { brake } = judgement;
  const { policy } = due.target.entry;
  const now = deps.clock.now();
  const { loaded, marker } = look;
  const { memory } = remembered;
  const judge = (found: ApprovalSearch["found"]): JudgedSight =>
    judgeSight(pass, {
      ...look,
      memory,
      found,
      decide: (approved) => decideStack(look.sight, { policy, memory, paused: deps.paused, brake, now, approved }),
    });
  const judged = judge(null);
  remembered.memory = withSynced(pass, judged.memory, look.sight);
  await keepPlan(pass, look, look.sight);
  const search = mayWrite(pass, look) ? await findApproval(pass, due, judged) : null;
  const found = search?.found ?? null;
  const decision = found === null ? withNotes(judged.decision, search) : judge(found).decision;
  if (decision.apply.length === 0 || loaded === null || !mayWrite(pass, look)) {
    const seen = { due, marker, sight: look.sight, memory: remembered.memory };
    return decision.apply.length > 0 ? cutShort(seen, decision, whyNot(pass)) : fromDecision(seen, decision);
  }
  // What was just seen need not be waited for: other stacks of the account have their turn.
  const lock = look.sight.plan.warnings.find(({ code }) => code === "account-locked");
  if (loaded.settings.lock.wanted && lock !== undefined)
    return lockedOut({ due, marker, sight: look.sight, memory: remembered.memory }, decision, lock.message);
  const { changes, impact } = decision;
  const message = `${count(decision.apply.length, "change")} on the way`;
  const commit = look.sight.plan.commit;
  deps.onPending?.(due.target.name, { changes, commit, impact, lookedAt: look.sight.began, message });
  const written = await writeAllowed(pass, { ...look, loaded, found }, judgement, remembered);
  if ("written" in written && written.written.sight !== null) {
    const { decision: last, sight } = written.written;
    const known = remembered.memory;
    const again = judgeSight(pass, {
      sight,
      loaded,
      marker,
      memory: known,
      found: null,
      decide: (approved) =>
        decideUnderBrake(pass, due, sight, {
          account: judgement.account,
          memory: known,
          listed: pass.listed,
          now: deps.clock.now(),
          approved,
        }),
    });
    remembered.memory = withSynced(pass, last === null ? known : again.memory, sight);
    if (written.written.applied !== null) await keepPlan(pass, look, written.written.sight);
  }
  const first = { due, marker, sight: look.sight, memory: remembered.memory };
  return fromWrite(first, decision, written);
}

/** Keeps the plan of the last look for whoever wants to see what waits. */
async function keepPlan({ deps, memo }: Pass, { due, loaded }: SightLook, sight: Sight): Promise<void> {
  const { plan } = sight;
  const { record, target } = due;
  const isEmpty = plan.changes.length === 0 && plan.refusals.length === 0;
  // Thousands of stacks at rest have no plan, and had none.
  if (isEmpty && record?.status.state === "synced") return;
  if (record === null) memo.plans.forget(target.name);
  const kept =
    isEmpty || loaded === null ? null : shownPlan(planWithOrigins(sight), (text) => loaded.redactor.redact(text));
  await memo.plans.keep(target.name, kept, () => deps.savePlan(target.name, kept));
}

/** Tags that don't count are told beside what they would have approved. */
function withNotes(decision: Decision, search: ApprovalSearch | null): Decision {
  const problems = search?.problems.slice(0, shownProblems) ?? [];
  return problems.length === 0 ? decision : { ...decision, message: [decision.message, ...problems].join("; ") };
}

/** How many problems of tags a message tells. */
const shownProblems = 3;

/** Whether this pass may write the stack at all, whatever is decided about its changes. */
function mayWrite(pass: Pass, { due }: SightLook): boolean {
  const { blinded, deps, isLong } = pass;
  const { unfollowed } = due;
  const isFollowed = unfollowed === null || (!unfollowed.rewound && unfollowed.unreachable !== true);
  const isFree = !deps.dryRun && !deps.paused && !deps.stop.aborted && !isQuiet(pass) && !isLong;
  return isFollowed && blinded === null && isFree;
}

/** Whether a request of a process that was cut off may still be on its way. */
function isQuiet({ deps, input }: Pass): boolean {
  return deps.clock.now() < (input.quietUntil ?? 0);
}

/** Why what is allowed is not done in this pass, for people. */
function whyNot(pass: Pass): string {
  const { blinded, deps, input, isLong } = pass;
  if (deps.dryRun) return "a dry run writes nothing";
  if (isQuiet(pass)) {
    const until = new Date(input.quietUntil ?? 0).toISOString();
    return `a pass was cut off while it wrote to the account, and what it sent may still arrive: nothing is written before ${until}`;
  }
  if (blinded !== null) return `live can't be read any more (${blinded})`;
  if (deps.stop.aborted) return "the loop is stopping";
  return isLong
    ? "others of the account were written so long that it is looked at again first"
    : "nothing may be written now";
}

/** What was written is seen now, unless a request may still be on its way. */
function withSynced(pass: Pass, memory: StackMemory, { plan, sources, states }: Sight): StackMemory {
  const writing = isQuiet(pass) ? (memory.writing ?? null) : null;
  const synced = syncedAfter(states, plan, knownSynced(states, memory));
  return { ...memory, synced, ids: idsAfter(states, memory.ids ?? {}), sources, writing };
}

function tell({ deps }: Pass, { began, due }: Look, status: StackStatus): void {
  const stack = due.target.name;
  const { commit, impact, message, reason, state } = status;
  deps.emit({ event: "stack-looked", stack, commit, state, reason, ms: deps.clock.now() - began });
  const before = due.record?.status ?? null;
  if (before !== null && before.state === state && before.reason === reason) return;
  const from = before?.state ?? "unknown";
  deps.emit({ event: "state-changed", stack, from, to: state, reason, commit, impact, message });
}
