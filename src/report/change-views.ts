import type { Change } from "../plan/plan-format.js";
import { visibleLine } from "./escape.js";
import { type FieldLimits, type FieldView, fieldView } from "./field-view.js";
import type { LineDiff } from "./line-diff.js";
import { impactRank } from "./rank.js";

/** A change's fields ready to be laid out, and what is to be said of it as a whole. */
export interface ChangeViews {
  readonly fields: readonly FieldView[];
  /** The reason for its impact, `security: …`; null when a field already says it. */
  readonly reason: string | null;
  readonly notes: readonly string[];
}

/**
 * Lays out a change's fields. Where a whole resource comes or goes, every field has a reason to the same effect:
 * only the grave ones are told field by field.
 */
export function changeViews(change: Change, diff: LineDiff, limits: FieldLimits): ChangeViews {
  const whole = change.action === "create" || change.action === "delete";
  const fields = change.fields
    .map((field) => fieldView(field, diff, limits))
    .map((view) => (whole && impactRank(view.impact) < impactRank("security") ? { ...view, reason: null } : view));
  const reason = change.reason === null ? null : visibleLine(change.reason);
  const told = reason === null || fields.some((view) => view.reason === reason);
  return { fields, reason: told ? null : `${change.impact}: ${reason}`, notes: change.notes.map(visibleLine) };
}
