import { type ApplyReport, type Verification, isTrouble, statusInWords } from "../../apply/result.js";
import type { Plan } from "../../plan/plan-format.js";
import { worstOf } from "../../kinds/impact.js";
import { count, cut } from "../../core/text.js";
import { visibleLine } from "../../core/visible.js";
import { type Decision, countUncompared } from "../decide/decide.js";
import { nextLookAfter } from "../decide/schedule.js";
import { entering } from "../keep-records.js";
import {
  type HistoryEntry,
  type ShownState,
  type SpentApproval,
  type StackMemory,
  type StackStatus,
  newStackRecord,
} from "../records.js";
import type { DueStack, StackOutcome } from "../serve-deps.js";
import { type Look, type StackPlan, isInSync, type Pass } from "./pass.js";

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

function underSource({ unfollowed }: DueStack, shown: ShownState): ShownState {
  if (unfollowed === null) return shown;
  const isOld = shown.message !== unfollowed.message;
  const message = isOld ? `${unfollowed.message}; at the last followed commit: ${shown.message}` : shown.message;
  return unfollowed.rewound
    ? { state: "waiting", reason: "rewound", message }
    : { state: "failed", reason: null, message };
}

export function troubleOf(
  { operations, outcome }: ApplyReport,
  verification: Verification | null,
  end: "done" | "deadline" | "stopped",
): string | null {
  const [first, ...more] = operations.filter(({ status }) => isTrouble(status));
  if (first !== undefined) {
    const others = more.length === 0 ? "" : `, and ${count(more.length, "operation")} more`;
    return `${first.address} ${statusInWords[first.status]}: ${first.error ?? "no reason is known"}${others}`;
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

export function recordOutcome({ deps, input }: Pass, look: Look, ending: Ending, memory: StackMemory): StackOutcome {
  const { due } = look;
  const { commit, record: before, target } = due;
  const { name } = target;
  const { status: last, stack: known } = before ?? newStackRecord(target, 0);
  const now = deps.clock.now();
  const shown = underSource(due, ending.shown);
  const { reason, state } = shown;
  const failures = state === "failed" ? memory.failures + 1 : 0;
  const { history, record } = entering(
    {
      name,
      account: input.account.name,
      source: target.entry.source,
      stack: (look.saw === "plan" ? look.marker : target.stack) ?? known,
      status: { ...last, commit: commit?.commit ?? last.commit, ...seenStatus(ending, commit?.commit) },
      memory: { ...memory, failures },
    },
    { state, reason, message: oneLine(shown.message) },
    now,
  );
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
  const isWaiting = state === "waiting" || state === "pending";
  const digest = isWaiting ? (memory.approval?.waiting?.digest ?? null) : null;
  const status = { ...record.status, digest, nextLook };
  const about = { at: new Date(now).toISOString(), stack: name, commit: status.commit };
  return { record: { ...record, status }, history: [...appliedHistory(ending, about), ...history] };
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

function oneLine(text: string): string {
  return cut(visibleLine(text), 2000);
}
