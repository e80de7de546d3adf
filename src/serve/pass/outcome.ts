import { type ApplyReport, type Verification, isTrouble } from "../../apply/result.js";
import type { Plan } from "../../plan/plan-format.js";
import { worstOf } from "../../kinds/impact.js";
import { count } from "../../core/text.js";
import { visibleLine } from "../../core/visible.js";
import { type Decision, countUncompared } from "../decide/decide.js";
import { nextLookAfter } from "../decide/schedule.js";
import {
  type HistoryEntry,
  type SpentApproval,
  type StackMemory,
  type StackStatus,
  newStackRecord,
} from "../records.js";
import { type Look, type StackPlan, isInSync } from "./look.js";
import type { DueStack, StackOutcome } from "../serve-deps.js";
import type { Pass } from "./pass.js";

export type ShownState = Pick<StackStatus, "state" | "reason" | "message">;

export interface Ending {
  readonly shown: ShownState;
  readonly seen: StackPlan | null;
  readonly decision: Decision | null;
  readonly applied: AppliedPlan | null;
}

export interface AppliedPlan {
  readonly plan: Plan;
  readonly report: ApplyReport;
  readonly trouble: string | null;
  readonly approval: SpentApproval | null;
}

export function unseenEnding(message: string): Ending {
  return { shown: { state: "failed", reason: null, message }, seen: null, decision: null, applied: null };
}

/** A source whose tip is not followed has the last word: what was seen is about an old commit. */
function underSource({ unfollowed }: DueStack, { applied, seen, shown }: Ending): ShownState {
  if (unfollowed === null) return shown;
  const isUnseen = seen === null && applied === null;
  const isKnown = isUnseen && (!unfollowed.rewound || shown.message === unfollowed.message);
  const old = isUnseen ? shown.message : `at the last followed commit: ${shown.message}`;
  const message = isKnown ? shown.message : `${unfollowed.message}; ${old}`;
  if (unfollowed.rewound) return { state: "waiting", reason: "rewound", message };
  return { state: "failed", reason: null, message };
}

export function troubleOf(
  report: ApplyReport,
  verification: Verification | null,
  end: "done" | "deadline" | "stopped",
): string | null {
  const [first, ...more] = report.operations.filter(({ status }) => isTrouble(status));
  if (first !== undefined) {
    const others = more.length === 0 ? "" : `, and ${count(more.length, "operation")} more`;
    const said = first.status === "failed" ? "failed" : "may have failed";
    return `${first.address} ${said}: ${first.error ?? "no reason is known"}${others}`;
  }
  if (report.outcome === "partial" || report.outcome === "failed") {
    if (end === "deadline") return "its deadline came before everything was begun; the next pass goes on";
    const left = report.operations.find(({ status }) => status === "skipped");
    return `it was stopped before everything was begun${left?.error ? `: ${left.error}` : ""}`;
  }
  if (verification === null || verification.verified === null) return "it was applied, and not verified";
  if (verification.verified) return null;
  return `it was applied, and a second look shows that it did not converge: ${verification.warnings.map(({ message }) => message).join("; ")}`;
}

export function recordOutcome(pass: Pass, look: Look, ending: Ending, known: StackMemory): StackOutcome {
  const { deps, input } = pass;
  const { due } = look;
  const { commit, record: before, target } = due;
  const { name } = target;
  const now = deps.clock.now();
  const state = underSource(due, ending);
  const failures = state.state === "failed" ? known.failures + 1 : 0;
  const memory = { ...known, failures };
  const last = before?.status ?? newStackRecord(target, now).status;
  const isSame = before !== null && last.state === state.state && last.reason === state.reason;
  const isWaiting = state.state === "waiting" || state.state === "pending";
  const nextLook = nextLookAfter({
    status: state,
    failures,
    policy: target.entry.policy,
    now,
    random: deps.random(),
    recovered: last.state === "failed" && state.state !== "failed",
    dryRun: deps.dryRun,
    notBefore: deps.claim.quietUntil,
  });
  const status: StackStatus = {
    ...last,
    state: state.state,
    reason: state.reason,
    message: oneLine(state.message),
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
  const entered = { ...about, event: "state", outcome: status.state, impact, operations: [], approval: null, message };
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
