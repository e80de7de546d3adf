import { type OperationStatus, type Result, countStatuses } from "../apply/result.js";
import { type Impact, worstOf } from "../kinds/impact.js";
import { claimText } from "../kinds/kind.js";
import { type Drift, type Finding, findingTypes } from "../plan/drift-findings.js";
import {
  type Change,
  type Plan,
  type Summary,
  commitWords,
  relaxationFlags,
  shownCommit,
} from "../plan/plan-format.js";
import { shellWord } from "../core/shell-word.js";
import { count, cut, listFew } from "../text/layout.js";
import { visibleLine } from "../text/visible.js";

/** What headings show of a change or a finding. */
export type ReportedResource = Pick<Change | Finding, "address" | "id" | "impact" | "source">;

/** The headline of a plan: its worst impact, and why. Texts are on one line and safe for plain text. */
export interface PlanHeadline {
  readonly impact: Impact;
  /** The impact, or `changes` when it is none or cosmetic. */
  readonly label: string;
  readonly empty: boolean;
  /** `No changes.`, or what is lost, and the worst change with its reason. */
  readonly headline: string;
  /** The number of refusals and their codes; null without any. */
  readonly refusal: string | null;
}

/** Summarises a plan by what is lost and the worst of its changes. */
export function planHeadline(plan: Plan): PlanHeadline {
  const worst = worstOf(plan.changes);
  const impact = worst?.impact ?? "none";
  return {
    impact,
    label: isHarmless(impact) ? "changes" : impact,
    empty: plan.changes.length === 0,
    headline: worst === null ? noChangesLine(plan) : [...lossesIn(plan), ...worstChange(worst, plan)].join("; "),
    refusal: plan.refusals.length === 0 ? null : refusalLine(plan),
  };
}

function isHarmless(impact: Impact): boolean {
  return impact === "none" || impact === "cosmetic";
}

function noChangesLine(plan: Plan): string {
  if (plan.refusals.length > 0) return "No changes were planned.";
  return `No changes. Live matches the manifests (${count(plan.summary.unchanged, "resource")}).`;
}

/** What does not come back by itself, gravest first: hostports, addresses, resources. */
function lossesIn({ changes, unserved = [] }: Plan): readonly string[] {
  const named = (texts: readonly string[]): string => listFew(texts.map(visibleLine), 3);
  const final = changes.filter(({ impact }) => impact === "irreversible");
  const deleted = changes.filter(({ action }) => action === "delete");
  return [
    ...(unserved.length === 0
      ? []
      : [`${count(unserved.length, "hostport")} no longer served: ${named(unserved.map(claimText))}`]),
    ...final.slice(0, 1).map((change) => reasonLine(change, final)),
    ...(deleted.every((change) => final.includes(change))
      ? []
      : [`${count(deleted.length, "deletion")}: ${named(deleted.map(({ address }) => address))}`]),
  ];
}

/** The worst change of which what is lost does not tell yet. */
function worstChange(worst: Change, { changes, unserved = [] }: Plan): readonly string[] {
  if (isHarmless(worst.impact))
    return [worst.impact === "none" ? "no effect on traffic" : "no change to traffic or access"];
  if (worst.impact === "irreversible") return [];
  const isTold = (change: Change): boolean =>
    (change.impact === "routing" && change.action === "delete") ||
    unserved.some((claim) => reasonOf(change).includes(claimText(claim)));
  const untold = changes.filter((change) => change.impact === worst.impact && !isTold(change));
  return untold.slice(0, 1).map((change) => reasonLine(change, untold));
}

/** A change with its reason, and how many are like it. */
function reasonLine(change: Change, same: readonly Change[]): string {
  const more = same.length > 1 ? ` (and ${count(same.length - 1, `more ${change.impact} change`)})` : "";
  return `${visibleLine(change.address)}: ${visibleLine(reasonOf(change))}${more}`;
}

function reasonOf(change: Change): string {
  return change.reason ?? worstReason(change) ?? `to ${change.action}`;
}

/** Why the worst of the fields of a change or a finding matters; null when nothing is said of it. */
export function worstReason({ fields, impact }: Pick<Change | Finding, "fields" | "impact">): string | null {
  return fields.find((field) => field.impact === impact)?.reason ?? null;
}

function refusalLine(plan: Plan): string {
  const codes = [...new Set(plan.refusals.map((each) => each.code))].join(", ");
  return `${count(plan.refusals.length, "refusal")} (${codes}): this plan cannot be applied`;
}

/** `Manifests of commit 0123456789ab (HEAD~1)`; null when they were read from the disk. On one line, safe for plain text. */
export function commitLine(made: Partial<Pick<Plan, "commit" | "ref">>): string | null {
  const shown = shownCommit(made);
  return shown === null ? null : `Manifests of ${visibleLine(cut(commitWords(shown), 300))}`;
}

/** The headline of a drift report. */
export interface DriftHeadline {
  readonly impact: Impact;
  /** `3 findings: 1 missing, 2 modified; 1 pending`, or `No drift`. */
  readonly headline: string;
}

/** Summarises drift by the worst of its findings; pending ones are counted apart. */
export function driftHeadline(drift: Drift): DriftHeadline {
  const found = drift.findings.filter(({ type }) => type !== "pending");
  const pending = drift.findings.length - found.length;
  if (found.length === 0) {
    const none = pending === 0 ? "No drift: live matches the manifests." : `No drift: ${pending} pending.`;
    return { impact: "none", headline: none };
  }
  const worst: Impact = worstOf(found)?.impact ?? "none";
  const parts = groupBy(found, findingTypes, ({ type }) => type).map(({ key, items }) => `${items.length} ${key}`);
  const apart = pending === 0 ? "" : `; ${pending} pending`;
  return { impact: worst, headline: `${count(found.length, "finding")}: ${parts.join(", ")}${apart}` };
}

/** Findings by type, in the order in which they are shown. */
export function findingsByType(
  drift: Drift,
): readonly { readonly key: Finding["type"]; readonly items: readonly Finding[] }[] {
  return groupBy(drift.findings, findingTypes, (finding) => finding.type);
}

/** A finding's message for a report that names its resource just before: `differs from its manifest in spec.body`. */
export function findingSentence({ address, id, message }: Finding): string {
  const starts = [...(id === null ? [] : [`${address} (${id}) `]), `${address}: `, `${address} `];
  const start = starts.find((each) => message.startsWith(each)) ?? "";
  return message.slice(start.length);
}

/** The headline of the report of an apply. */
export interface ResultHeadline {
  readonly label: string;
  readonly sentence: string;
  readonly good: boolean;
  /** The next step; null when there is nothing to do. */
  readonly next: string | null;
}

/**
 * Summarises a result and names the next step.
 * @param options `next`: another one, of who knows more
 */
export function resultHeadline(result: Result, { next: given }: { readonly next?: string } = {}): ResultHeadline {
  const headline = outcomeHeadline(result);
  if (given !== undefined) return { ...headline, next: given };
  const shown = shownCommit(result);
  if (shown === null) return headline;
  const { next } = headline;
  const flag = `--ref ${visibleLine(cut(shellWord(shown.ref), 200))}`;
  if (next !== null)
    return { ...headline, next: `${next} Give ${flag} again: without it, what is checked out is read.` };
  return { ...headline, next: "An apply without --ref brings back what is checked out: revert in Git, too." };
}

function outcomeHeadline(result: Result): ResultHeadline {
  const interrupted = result.interrupted ? " The run was interrupted." : "";
  switch (result.outcome) {
    case "nothing":
      if (result.interrupted)
        return { label: "INTERRUPTED", sentence: "Nothing was changed.", good: false, next: "Run apply again." };
      if (result.verified === false) {
        return {
          label: "NOT CONVERGED",
          sentence: "The plan is empty, but live differs from the manifests. Nothing was changed.",
          good: false,
          next: "See the warnings.",
        };
      }
      return { label: "NOTHING TO DO", sentence: "Live matches the manifests.", good: true, next: null };
    case "applied":
      return appliedHeadline(result, interrupted);
    case "refused":
      return {
        label: "REFUSED",
        sentence: "Nothing was changed.",
        good: false,
        next: "Do what each refusal asks for, then plan again.",
      };
    case "partial":
      return {
        label: "PARTIAL",
        sentence: `Not all operations were applied.${interrupted}`,
        good: false,
        next: nextAfterPartial(result),
      };
    case "failed":
      return {
        label: "FAILED",
        sentence: `Nothing was changed.${interrupted}`,
        good: false,
        next: "Fix what failed, then run apply again.",
      };
  }
}

/** Lists may lag behind writes: a plan that is made at once could create again what is not listed yet. */
const waitFirst = "Wait until the service shows what was done (half a minute, as a rule)";

function appliedHeadline(result: Result, interrupted: string): ResultHeadline {
  const { verified } = result;
  if (verified === true) {
    return {
      label: "APPLIED",
      sentence: `Live matches the manifests: a second plan is empty.${interrupted}`,
      good: true,
      next: null,
    };
  }
  if (verified === false) {
    return {
      label: "NOT CONVERGED",
      sentence: `All operations succeeded, but a second plan still has changes.${interrupted}`,
      good: false,
      next: "Run plan later to see what still differs: the service changed what it was sent, somebody else changed it, or its lists lag behind by more than api.settle.",
    };
  }
  return {
    label: "APPLIED",
    sentence: `Not verified.${interrupted}`,
    good: !result.interrupted,
    next: `${waitFirst}, then run plan to see whether anything still differs.`,
  };
}

function nextAfterPartial(result: Result): string {
  const { failed, unknown } = countStatuses(result.operations);
  const fix = failed > 0 ? "Fix what failed. " : "";
  const check =
    unknown > 0 ? "run plan to see the outcome of the operations with unknown status, and apply" : "run apply";
  return `${fix}${waitFirst}, then ${check} again: it resumes with the remaining operations.`;
}

/** `7 done, 1 failed, 2 skipped`. What there is nothing of is left out. */
export function statusCountsLine(counts: { readonly [S in OperationStatus]: number }): string {
  const parts = operationStatuses.flatMap((status) => (counts[status] === 0 ? [] : [`${counts[status]} ${status}`]));
  return parts.length === 0 ? "no operations" : parts.join(", ");
}

const operationStatuses = ["done", "failed", "skipped", "unknown"] as const;

const summaryActions = ["create", "update", "replace", "delete", "adopt", "orphan"] as const;

/** `Plan: 1 to create, 2 to update, 3 unchanged.` What there is nothing of is left out. */
export function summaryLine(summary: Summary): string {
  const counts = [
    ...summaryActions.flatMap((action) => (summary[action] === 0 ? [] : [`${summary[action]} to ${action}`])),
    ...(summary.unchanged === 0 ? [] : [`${summary.unchanged} unchanged`]),
  ];
  return counts.length === 0 ? "Plan: nothing to do." : `Plan: ${counts.join(", ")}.`;
}

/** The outcome of the rehearsal, in a sentence; null without one. */
export function rehearsalLine(plan: Plan): string | null {
  if (plan.rehearsal === null) return null;
  const { converges, steps } = plan.rehearsal;
  if (steps === 0 && plan.operations.length === 0) return null;
  return converges
    ? `Rehearsal: ${count(steps, "step")} run against a model of the service; a second plan is empty.`
    : `Rehearsal: ${count(steps, "step")} run against a model of the service; it did not converge.`;
}

/** The flags that loosened the guards of a plan; null without any. */
export function relaxationsLine({ relaxations }: Plan): string | null {
  const flags = relaxationFlags({ ...relaxations, destroy: false });
  const sentences = [
    ...(relaxations.destroy
      ? [
          "Made by `edgewise destroy`: everything that the stack owns is deleted, or kept where lifecycle.deletion is orphan.",
        ]
      : []),
    ...(flags.length === 0 ? [] : [`Guards loosened by flags: ${flags.join(" ")}`]),
  ];
  return sentences.length === 0 ? null : sentences.join(" ");
}

/** Items by key, in the order of `keys`; keys without items are left out. */
export function groupBy<T, K extends string>(
  items: readonly T[],
  keys: readonly K[],
  keyOf: (item: T) => K,
): readonly { readonly key: K; readonly items: readonly T[] }[] {
  const byKey = new Map<K, T[]>(keys.map((key) => [key, []]));
  for (const item of items) byKey.get(keyOf(item))?.push(item);
  return [...byKey].filter(([, members]) => members.length > 0).map(([key, members]) => ({ key, items: members }));
}
