import { impactRank, worstOf } from "../kinds/impact.js";
import type { Change, FieldChange, Operation, Plan } from "../plan/plan-format.js";
import { visibleLine } from "../text/visible.js";
import { type FieldLimits, type FieldView, fieldView } from "./field-view.js";
import type { LineDiff } from "./line-diff.js";

/** The changes of a plan told apart by who caused them. */
export interface ChangesByOrigin {
  /** What this branch does, conflicts among it; everything when the plan was made without a base. */
  readonly branch: readonly Change[];
  /** What somebody changed live and this plan overwrites. */
  readonly overwritten: readonly Change[];
}

/**
 * Keeps overwritten drift apart: fields of origin `drift` go to `overwritten`, all else stays. A change that has both
 * is in both, with its own fields in each. Deletes, replacements and orphans are never moved: they are to be seen first.
 */
export function splitDrift(changes: readonly Change[]): ChangesByOrigin {
  const branch: Change[] = [];
  const overwritten: Change[] = [];
  for (const change of changes) {
    const movable = change.action === "create" || change.action === "update" || change.action === "adopt";
    const drift = change.fields.filter((field) => field.origin === "drift");
    if (!movable || (drift.length === 0 && change.origin !== "drift")) branch.push(change);
    else if (drift.length === change.fields.length || change.origin === "drift") overwritten.push(change);
    else {
      branch.push(
        partOfChange(
          change,
          change.fields.filter((field) => field.origin !== "drift"),
          null,
        ),
      );
      overwritten.push(partOfChange(change, drift, "drift"));
    }
  }
  return { branch, overwritten };
}

/** A change with some of its fields: impact and reason are theirs alone, as the notes stay with the branch's part. */
function partOfChange(change: Change, fields: readonly FieldChange[], origin: "drift" | null): Change {
  const worst = worstOf(fields);
  return {
    ...change,
    fields,
    impact: worst?.impact ?? "none",
    reason: worst?.reason ?? null,
    origin: origin ?? (fields.some((field) => field.origin === "both") ? "both" : "desired"),
    notes: origin === null ? change.notes : [],
  };
}

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

/** One operation whose place in the order needs a word. Texts are safe for one line of plain text. */
export interface OrderNote {
  readonly id: string;
  /** `patch TLSEdge/api`. */
  readonly what: string;
  readonly why: string;
}

/**
 * The operations that a reader should know the order of: temporary releases, waits for something freed or no longer
 * used, and the steps of replacements; with `all`, every operation that has a word to say or waits.
 */
export function orderNotes(plan: Plan, all: boolean): readonly OrderNote[] {
  const replaced = new Set<string>(
    plan.changes.filter((change) => change.action === "replace").map((change) => change.address),
  );
  return plan.operations
    .filter((operation) => all || isUnusual(operation, replaced.has(operation.address)))
    .map((operation) => ({
      id: visibleLine(operation.id),
      what: `${operation.kind} ${visibleLine(operation.address)}`,
      why: reasonText(operation),
    }));
}

function isUnusual(operation: Operation, isReplaced: boolean): boolean {
  if (operation.temporary !== undefined) return true;
  if (operation.why === null) return false;
  return (
    isReplaced ||
    Object.values(operation.waits).some((reason) => reason === "free" || reason === "late" || reason === "unuse")
  );
}

function reasonText(operation: Operation): string {
  const why =
    operation.why ?? (operation.after.length === 0 ? "waits for nothing" : `after ${listIds(operation.after)}`);
  const { temporary } = operation;
  if (temporary === undefined) return visibleLine(why);
  return `${visibleLine(why)} (temporary: given back if ${listIds(temporary.takers)} fails for good)`;
}

function listIds(ids: readonly string[]): string {
  const shown = ids.slice(0, 6).map(visibleLine).join(", ");
  return ids.length > 6 ? `${shown} and ${ids.length - 6} more` : shown;
}
