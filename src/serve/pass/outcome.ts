import { isTrouble } from "../../apply/result.js";
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
import type { DueStack, Pass, StackOutcome } from "./pass.js";
import type { Applied } from "./write-stack.js";

export type Ending =
  | { readonly is: "unseen"; readonly message: string }
  | { readonly is: "decided"; readonly seen: StackPlan; readonly decision: Decision }
  /**
   * Something is allowed, and not done: in this pass, while another process or a person holds the account's lock, by
   * lists that can't be believed, or because the plan of the allowed part must not run.
   */
  | {
      readonly is: "held-back" | "locked" | "doubted" | "refused";
      readonly seen: StackPlan;
      readonly decision: Decision;
      readonly why: string;
    }
  | {
      readonly is: "applied";
      readonly seen: StackPlan | null;
      readonly decision: Decision | null;
      readonly before: Decision;
      readonly applied: Applied;
      readonly approval: SpentApproval | null;
      readonly end: "done" | "deadline" | "stopped";
    };

type ShownState = Pick<StackStatus, "state" | "reason" | "message">;

function stateOf(ending: Ending): ShownState {
  switch (ending.is) {
    case "unseen":
      return { state: "failed", reason: null, message: ending.message };
    case "decided":
      return ending.decision;
    case "held-back": {
      const { message, ...decided } = ending.decision;
      return { ...decided, message: `${message}; not applied: ${ending.why}` };
    }
    case "locked":
      return { state: "waiting", reason: "locked", message: ending.why };
    case "doubted":
      return { state: "waiting", reason: "brake", message: ending.why };
    case "refused":
      return { state: "refused", reason: null, message: ending.why };
    case "applied": {
      const trouble = troubleOf(ending);
      if (trouble === null && ending.decision !== null) return ending.decision;
      // It is not known what is live now, or somebody must know that it went wrong: the next pass looks again.
      const message = trouble ?? "it was applied, and not looked at since";
      return { state: ending.end === "stopped" ? "pending" : "failed", reason: null, message };
    }
  }
}

function underSource({ unfollowed }: DueStack, { is }: Ending, found: ShownState): ShownState {
  if (unfollowed === null) return found;
  const isKnown = is === "unseen" && (!unfollowed.rewound || found.message === unfollowed.message);
  const old = is === "unseen" ? found.message : `at the last followed commit: ${found.message}`;
  const message = isKnown ? found.message : `${unfollowed.message}; ${old}`;
  if (unfollowed.rewound) return { state: "waiting", reason: "rewound", message };
  return { state: "failed", reason: null, message };
}

function troubleOf({ applied, end }: Extract<Ending, { is: "applied" }>): string | null {
  const { report, verification } = applied;
  const wrong = report.operations.filter(({ status }) => isTrouble(status));
  const [first] = wrong;
  if (first !== undefined) {
    const more = wrong.length === 1 ? "" : `, and ${count(wrong.length - 1, "operation")} more`;
    const said = first.status === "failed" ? "failed" : "may have failed";
    return `${first.address} ${said}: ${first.error ?? "no reason is known"}${more}`;
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
  const state = underSource(due, ending, stateOf(ending));
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
    notBefore: input.quietUntil ?? 0,
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
    ...seenStatus(ending, commit?.commit ?? null),
  };
  const stack = (look.saw === "plan" ? look.marker : target.stack) ?? before?.stack ?? null;
  const record = { name, account: input.account.name, source: target.entry.source, stack, status, memory };
  const about = { at: new Date(now).toISOString(), stack: name, commit: status.commit };
  const { impact, message } = status;
  const entered = { ...about, event: "state", outcome: status.state, impact, operations: [], approval: null, message };
  return { record, history: [...appliedHistory(ending, about), ...(isSame ? [] : [entered])] };
}

function seenStatus(ending: Ending, commit: string | null): Partial<StackStatus> {
  if (ending.is === "unseen") return {};
  const decision = ending.decision ?? (ending.is === "applied" ? ending.before : null);
  const { seen } = ending;
  const shown = decision === null ? {} : { impact: decision.impact, changes: decision.changes };
  if (seen === null) return shown;
  const applied = isInSync(seen.plan) && commit !== null ? { appliedCommit: commit } : {};
  return { ...shown, ...applied, lookedAt: seen.began, uncomparedSecrets: countUncompared(seen.plan) };
}

function appliedHistory(ending: Ending, about: Pick<HistoryEntry, "at" | "stack" | "commit">): readonly HistoryEntry[] {
  if (ending.is !== "applied") return [];
  const { plan, report } = ending.applied;
  const spent = ending.approval;
  const entry: HistoryEntry = {
    ...about,
    event: "apply",
    outcome: report.outcome,
    impact: worstOf(plan.changes)?.impact ?? "none",
    operations: report.operations.map((one) => ({ ...one, error: one.error === null ? null : oneLine(one.error) })),
    approval: null,
    message: oneLine(troubleOf(ending) ?? `applied ${count(plan.operations.length, "operation")}, and verified`),
  };
  if (spent === null) return [entry];
  const { approver, at, digest, message, tag } = spent;
  const approval = { tag, approver, digest, at: new Date(at).toISOString(), message: oneLine(message) };
  return [{ ...entry, approval }];
}

const longestMessage = 2000;

function oneLine(text: string): string {
  const line = visibleLine(text);
  return line.length <= longestMessage ? line : `${line.slice(0, longestMessage)}…`;
}
