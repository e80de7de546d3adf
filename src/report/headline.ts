import { type OperationStatus, type Result, countStatuses } from "../apply/result.js";
import { type Impact, worstOf } from "../kinds/impact.js";
import { type Drift, type Finding, findingTypes } from "../plan/drift-findings.js";
import { type Change, type Plan, type Summary, relaxationFlags } from "../plan/plan-format.js";
import { count } from "../text/layout.js";
import { visibleLine } from "../text/visible.js";

/** A change or a finding, as far as it is named in headings. */
export type ReportedResource = Pick<Change | Finding, "address" | "id" | "impact" | "source">;

/** What heads a report: the worst that can happen, and why. Texts are on one line and safe for plain text. */
export interface PlanHeadline {
  readonly impact: Impact;
  /** The impact, or `changes` where it is nothing to worry about. */
  readonly label: string;
  readonly empty: boolean;
  /** `No changes.`, or the worst change with its reason. */
  readonly headline: string;
  /** How the refusals are told; null without any. */
  readonly refusal: string | null;
}

/** Judges a plan by the worst of its changes. */
export function planHeadline(plan: Plan): PlanHeadline {
  const worst = worstOf(plan.changes);
  const impact = worst?.impact ?? "none";
  return {
    impact,
    label: isHarmless(impact) ? "changes" : impact,
    empty: plan.changes.length === 0,
    headline: worst === null ? noChangesLine(plan) : worstChangeLine(worst, plan.changes),
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

function worstChangeLine(worst: Change, changes: readonly Change[]): string {
  if (isHarmless(worst.impact)) {
    return worst.impact === "none" ? "nothing that traffic would notice" : "only descriptions and the like";
  }
  const others = changes.filter((change) => change.impact === worst.impact).length - 1;
  const reason =
    worst.reason ?? worst.fields.find((field) => field.impact === worst.impact)?.reason ?? `to ${worst.action}`;
  const more = others > 0 ? ` (and ${count(others, `more ${worst.impact} change`)})` : "";
  return `${visibleLine(worst.address)}: ${visibleLine(reason)}${more}`;
}

function refusalLine(plan: Plan): string {
  const codes = [...new Set(plan.refusals.map((each) => each.code))].join(", ");
  return `${count(plan.refusals.length, "refusal")} (${codes}): this plan can't be applied as it is`;
}

/** What heads a drift report. */
export interface DriftHeadline {
  readonly impact: Impact;
  /** `3 findings: 1 missing, 2 modified`, or that there are none. */
  readonly headline: string;
}

/** Judges drift by the worst of its findings. */
export function driftHeadline(drift: Drift): DriftHeadline {
  if (drift.findings.length === 0) return { impact: "none", headline: "No drift. Live is what the manifests say." };
  const worst: Impact = worstOf(drift.findings)?.impact ?? "none";
  const parts = findingsByType(drift).map(({ key, items }) => `${items.length} ${key}`);
  return { impact: worst, headline: `${count(drift.findings.length, "finding")}: ${parts.join(", ")}` };
}

/** Findings by type, in the order in which they are shown. */
export function findingsByType(
  drift: Drift,
): readonly { readonly key: Finding["type"]; readonly items: readonly Finding[] }[] {
  return groupBy(drift.findings, findingTypes, (finding) => finding.type);
}

/** What heads the account of an apply. */
export interface ResultHeadline {
  readonly label: string;
  readonly sentence: string;
  readonly good: boolean;
  /** What to do next; null when there is nothing to do. */
  readonly next: string | null;
}

/** `7 done, 1 failed, 2 skipped, 0 unknown` */
export function statusCountsLine({
  done,
  failed,
  skipped,
  unknown,
}: { readonly [S in OperationStatus]: number }): string {
  return `${done} done, ${failed} failed, ${skipped} skipped, ${unknown} unknown`;
}

/** Judges a result, and says what to do next. */
export function resultHeadline(result: Result): ResultHeadline {
  const interrupted = result.interrupted ? " It was interrupted." : "";
  switch (result.outcome) {
    case "nothing":
      if (result.interrupted)
        return { label: "INTERRUPTED", sentence: "Nothing was changed.", good: false, next: "Run apply again." };
      if (result.verified === false) {
        return {
          label: "NOT CONVERGED",
          sentence: "The plan has nothing to do, and yet live differs from the manifests. Nothing was changed.",
          good: false,
          next: "See the warnings.",
        };
      }
      return { label: "NOTHING TO DO", sentence: "Live matches the manifests.", good: true, next: null };
    case "applied":
      return appliedHeadline(result.verified, interrupted);
    case "refused":
      return {
        label: "REFUSED",
        sentence: "Nothing was changed.",
        good: false,
        next: "See what each refusal asks for, then plan again.",
      };
    case "partial":
      return {
        label: "PARTIAL",
        sentence: `Something was changed, not everything.${interrupted}`,
        good: false,
        next: nextAfterPartial(result),
      };
    case "failed":
      return {
        label: "FAILED",
        sentence: `Nothing was changed.${interrupted}`,
        good: false,
        next: "Put right what failed, then run apply again.",
      };
  }
}

function appliedHeadline(verified: boolean | null, interrupted: string): ResultHeadline {
  if (verified === true) {
    return {
      label: "APPLIED",
      sentence: `Planning again gives nothing: live matches the manifests.${interrupted}`,
      good: true,
      next: null,
    };
  }
  if (verified === false) {
    return {
      label: "NOT CONVERGED",
      sentence: `Everything was done, and yet planning again still gives changes.${interrupted}`,
      good: false,
      next: "Run plan to see what still differs: the service changed what was sent, or somebody else did.",
    };
  }
  return {
    label: "APPLIED",
    sentence: `Not verified.${interrupted}`,
    good: true,
    next: "Run plan to see whether anything still differs.",
  };
}

function nextAfterPartial(result: Result): string {
  const { failed, unknown } = countStatuses(result.operations);
  const look = unknown > 0 ? "Run plan: it shows what became of the operations whose outcome is unknown. " : "";
  const mend = failed > 0 ? "Put right what failed, then run apply again" : "Run apply again";
  return `${look}${mend}: it does only what is left.`;
}

const summaryActions = ["create", "update", "replace", "delete", "adopt", "orphan"] as const;

/** `Plan: 1 to create, 2 to update, 0 to replace, 0 to delete, 0 to adopt, 0 to orphan, 3 unchanged.` */
export function summaryLine(summary: Summary): string {
  return `Plan: ${summaryActions.map((action) => `${summary[action]} to ${action}`).join(", ")}, ${summary.unchanged} unchanged.`;
}

/** What the rehearsal showed, in a sentence; null when there was none. */
export function rehearsalLine(plan: Plan): string | null {
  if (plan.rehearsal === null) return null;
  const { converges, steps } = plan.rehearsal;
  if (steps === 0 && plan.operations.length === 0) return null;
  return converges
    ? `Rehearsal: ${count(steps, "step")} run against a model of the service; planning again gives nothing.`
    : `Rehearsal: ${count(steps, "step")} run against a model of the service; it did not converge.`;
}

/** What loosened the guards of a plan, in a sentence or two; null when nothing did. */
export function relaxationsLine({ relaxations }: Plan): string | null {
  const flags = relaxationFlags({ ...relaxations, destroy: false });
  const sentences = [
    ...(relaxations.destroy ? ["Made by `edgewise destroy`: everything that the stack owns goes."] : []),
    ...(flags.length === 0 ? [] : [`Guards loosened by flags: ${flags.join(" ")}`]),
  ];
  return sentences.length === 0 ? null : sentences.join(" ");
}

/** Items by key, keys in the order given, items in their own; keys without items are left out. */
export function groupBy<T, K extends string>(
  items: readonly T[],
  keys: readonly K[],
  keyOf: (item: T) => K,
): readonly { readonly key: K; readonly items: readonly T[] }[] {
  const byKey = new Map<K, T[]>(keys.map((key) => [key, []]));
  for (const item of items) byKey.get(keyOf(item))?.push(item);
  return [...byKey].filter(([, members]) => members.length > 0).map(([key, members]) => ({ key, items: members }));
}
