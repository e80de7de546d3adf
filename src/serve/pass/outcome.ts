import { type ApplyReport, type Verification, isTrouble } from "../../apply/result.js";
import type { Plan } from "../../plan/plan-format.js";
import { worstOf } from "../../kinds/impact.js";
import { count } from "../../core/text.js";
import { visibleLine } from "../../core/visible.js";
import { type Decision, countUncompared } from "../decide/decide.js";
import { nextLookAfter } from "../decide/schedule.js";
import {
  type HistoryEntry,
  type ShownState,
  type SpentApproval,
  type StackMemory,
  type StackStatus,
  newStackRecord,
} from "../records.js";
import { type Look, type StackPlan, isInSync } from "./look.js";
import type { DueStack, StackOutcome } from "../serve-deps.js";
import type { Pass } from "./pass.js";

export type Ending = Readonly<{
  shown: ShownState;
  seen: StackPlan | null;
  decision: Decision | null;
  applied: Readonly<{
    plan: Plan;
    report: ApplyReport;
    trouble: string | null;
    approval: SpentApproval | null;
  }> | null;
}>;

export function unseenEnding(message: string): Ending {
  return { shown: { state: "failed", reason: null, message }, seen: null, decision: null, applied: null };
}

/** A source whose tip is not followed has the last word: what was seen is about an old commit. */
function underSource({ unfollowed }: DueStack, { applied, seen, shown }: Ending): ShownState {
  if (unfollowed === null) return shown;
  const { rewound } = unfollowed;
  const isUnseen = seen === null && applied === null;
  const isKnown = isUnseen && (!rewound || shown.message === unfollowed.message);
  const old = isUnseen ? shown.message : `at the last followed commit: ${shown.message}`;
  const message = isKnown ? shown.message : `${unfollowed.message}; ${old}`;
  return rewound ? { state: "waiting", reason: "rewound", message } : { state: "failed", reason: null, message };
}

export function troubleOf(
  { operations, outcome }: ApplyReport,
  verification: Verification | null,
  end: "done" | "deadline" | "stopped",
): string | null {
  const [first, ...more] = operations.filter(({ status }) => isTrouble(status));
  if (first !== undefined) {
    const others = more.length === 0 ? "" : `, and ${count(more.length, "operation")} more`;
    const said = first.status === "failed" ? "failed" : "may have failed";
    return `${first.address} ${said}: ${first.error ?? "no reason is known"}${others}`;
  }
  if (outcome === "partial" || outcome === "failed") {
    if (end === "deadline") return "its deadline came before everything was begun; the next pass goes on";
    const left = operations.find(({ status }) => status === "skipped");
    return `it was stopped before everything was begun${left?.error ? `: ${left.error}` : ""}`;
  }
  if (verification === null || verification.verified === null) return "it was applied, and not verified";
  if (verification.verified) return null;
  const why = verification.warnings.map(({ message }) => message).join("; ");
  return `it was applied, and a second look shows that it did not converge: ${why}`;
}

export function recordOutcome({ deps, input }: Pass, look: Look, ending: Ending, known: StackMemory): StackOutcome {
  const { due } = look;
  const { commit, record: before, target } = due;
  const { name } = target;
  const now = deps.clock.now();
  const shown = underSource(due, ending);
  const { reason, state } = shown;
  const failures = state === "failed" ? known.failures + 1 : 0;
  const memory = { ...known, failures };
  const last = before?.status ?? newStackRecord(target, now).status;
  const isSame = before !== null && last.state === state && last.reason === reason;
  const isWaiting = state === "waiting" || state === "pending";
  const nextLook = nextLookAfter({
    status: shown,
    failures,
    policy: target.entry.policy,
    now,
    random: deps.random(),
    recovered: last.state === "failed" && state !== "failed",
    dryRun: deps.dryRun,
    notBefore: deps.claim.quietUntil,
  });
  const status: StackStatus = {
    ...last,
    state,
    reason,
    message: oneLine(shown.message),
    since: isSame ? last.since : now,
    commit: commit?.commit ?? last.commit,
    digest: isWaiting ? (memory.approval?.waiting?.digest ?? null) : null,
    nextLook,
    ...seenStatus(ending, commit?.commit),
  };
  const stack = (look.saw === "plan" ? look.marker : target.stack) ?? before?.stack ?? null;
  const record = { name, account: input.account.name, source: target.entry.source, stack, status, memory };
  const about = { at: new Date(now).toISOString(), stack: name, commit: status.commit };
  const { impact, message } = status;
  const entered = { ...about, event: "state", outcome: state, impact, operations: [], approval: null, message };
  return { record, history: [...appliedHistory(ending, about), ...(isSame ? [] : [entered])] };
}

function seenStatus({ decision, seen }: Ending, commit: string | undefined): Partial<StackStatus> {
  const shown = decision === null ? {} : { impact: decision.impact, changes: decision.changes };
  if (seen === null) return shown;
  const applied = isInSync(seen.plan) && commit !== undefined ? { appliedCommit: commit } : {};
  return { ...shown, ...applied, lookedAt: seen.began, uncomparedSecrets: countUncompared(seen.plan) };
}

function appliedHistory(
  { applied }: Ending,
  about: Pick<HistoryEntry, "at" | "stack" | "commit">,
): readonly HistoryEntry[] {
  if (applied === null) return [];
  const { approval: spent, plan, report, trouble } = applied;
  return [
    {
      ...about,
      event: "apply",
      outcome: report.outcome,
      impact: worstOf(plan.changes)?.impact ?? "none",
      operations: report.operations.map((one) => ({ ...one, error: one.error === null ? null : oneLine(one.error) })),
      approval: spent && approvalOf(spent),
      message: oneLine(trouble ?? `applied ${count(plan.operations.length, "operation")}, and verified`),
    },
  ];
}

function approvalOf({ approver, at, digest, message, tag }: SpentApproval): HistoryEntry["approval"] {
  return { tag, approver, digest, at: new Date(at).toISOString(), message: oneLine(message) };
}

const longestMessage = 2000;

function oneLine(text: string): string {
  const line = visibleLine(text);
  return line.length <= longestMessage ? line : `${line.slice(0, longestMessage)}…`;
}
