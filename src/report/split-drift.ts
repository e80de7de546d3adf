import type { Change, FieldChange } from "../plan/plan-format.js";
import { impactRank } from "./rank.js";

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
  let worst: FieldChange | null = null;
  for (const field of fields) if (worst === null || impactRank(field.impact) > impactRank(worst.impact)) worst = field;
  return {
    ...change,
    fields,
    impact: worst?.impact ?? "none",
    reason: worst?.reason ?? null,
    origin: origin ?? (fields.some((field) => field.origin === "both") ? "both" : "desired"),
    notes: origin === null ? change.notes : [],
  };
}
