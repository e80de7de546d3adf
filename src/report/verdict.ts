import type { Change, Impact, Plan } from "../plan/plan-format.js";
import { count } from "./count.js";
import { visibleLine } from "./escape.js";
import { impactRank } from "./rank.js";

/** What heads a report: the worst that can happen, and why. Texts are on one line and safe for plain text. */
export interface PlanHeadline {
  readonly impact: Impact;
  readonly empty: boolean;
  readonly refused: number;
  /** `No changes.`, or the worst change with its reason. */
  readonly headline: string;
  /** How the refusals are told; null without any. */
  readonly refusal: string | null;
}

/** Judges a plan by the worst of its changes. */
export function planHeadline(plan: Plan): PlanHeadline {
  const empty = plan.changes.length === 0;
  const worst = worstChange(plan.changes);
  return {
    impact: worst?.impact ?? "none",
    empty,
    refused: plan.refusals.length,
    headline: worst === null ? noChangesLine(plan) : worstChangeLine(worst, plan.changes),
    refusal: plan.refusals.length === 0 ? null : refusalLine(plan),
  };
}

function worstChange(changes: readonly Change[]): Change | null {
  let worst: Change | null = null;
  for (const change of changes)
    if (worst === null || impactRank(change.impact) > impactRank(worst.impact)) worst = change;
  return worst;
}

function noChangesLine(plan: Plan): string {
  if (plan.refusals.length > 0) return "No changes were planned.";
  return `No changes. Live matches the manifests (${count(plan.summary.unchanged, "resource")}).`;
}

function worstChangeLine(worst: Change, changes: readonly Change[]): string {
  if (worst.impact === "none" || worst.impact === "cosmetic") {
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
