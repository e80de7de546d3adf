import { isAtLeast, worstOf } from "../kinds/impact.js";
import { operationWords } from "../plan/operation-words.js";
import type { Change, FieldChange, Operation, Plan } from "../plan/plan-format.js";
import { listFew } from "../text/layout.js";
import { visibleLine } from "../text/visible.js";
import { type FieldLimits, type FieldView, fieldViews } from "./field-view.js";
import type { LineDiff } from "./line-diff.js";

/** The changes of a plan by who caused them. */
export interface ChangesByOrigin {
  /** The changes of this branch, conflicts included; all changes when the plan was made without a base. */
  readonly branch: readonly Change[];
  /** Changes that somebody made live and that this plan overwrites. */
  readonly overwritten: readonly Change[];
}

/**
 * Separates overwritten drift: fields of origin `drift` go to `overwritten`, all others to `branch`. A change that has
 * both is in both, with its own fields in each. Deletes, replacements and orphans stay in `branch`: readers must see
 * them first.
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
      const own = change.fields.filter((field) => field.origin !== "drift");
      const origin = own.some((field) => field.origin === "both")
        ? "both"
        : own.every((field) => field.origin === "unknown")
          ? "unknown"
          : "desired";
      const elsewhere = new Set(drift.map(({ note }) => note));
      branch.push({ ...partOfChange(change, own), origin, notes: change.notes.filter((note) => !elsewhere.has(note)) });
      overwritten.push({
        ...partOfChange(change, drift),
        origin: "drift",
        notes: drift.flatMap(({ note }) => note ?? []),
      });
    }
  }
  return { branch, overwritten };
}

/** A change with some of its fields, and with their impact and reason. */
function partOfChange(change: Change, fields: readonly FieldChange[]): Change {
  const worst = worstOf(fields);
  return { ...change, fields, impact: worst?.impact ?? "none", reason: worst?.reason ?? null };
}

/** A change's fields ready to be laid out, and the texts about the change as a whole. */
export interface ChangeViews {
  readonly fields: readonly FieldView[];
  /** The reason for its impact, `security: …`; null when a field has the same reason. */
  readonly reason: string | null;
  readonly notes: readonly string[];
}

/**
 * Prepares a change's fields. When a whole resource is created or deleted, all fields have much the same reason: only
 * the reasons of security or worse are kept field by field.
 */
export function changeViews(change: Change, diff: LineDiff, limits: FieldLimits): ChangeViews {
  const whole = change.action === "create" || change.action === "delete";
  const fields = fieldViews(change.fields, diff, limits).map((view) =>
    whole && view.reason !== null && !isAtLeast(view.impact, "security") ? { ...view, reason: null } : view,
  );
  const reason = change.reason === null ? null : visibleLine(change.reason);
  const isShown = reason === null || fields.some((view) => view.reason === reason);
  return { fields, reason: isShown ? null : `${change.impact}: ${reason}`, notes: change.notes.map(visibleLine) };
}

/** Why an operation has its place in the order. Texts are safe for one line of plain text. */
export interface OrderNote {
  readonly id: string;
  /** `update TLSEdge/api`. */
  readonly what: string;
  readonly why: string;
}

/**
 * The operations whose order a reader should know: temporary releases, waits for something released or no longer used,
 * and the steps of replacements; with `all`, every operation.
 */
export function orderNotes(plan: Plan, all: boolean): readonly OrderNote[] {
  const words = operationWords(plan);
  const replaced = new Set<string>(
    plan.changes.filter((change) => change.action === "replace").map((change) => change.address),
  );
  return plan.operations
    .filter((operation) => all || isUnusual(operation, replaced.has(operation.address)))
    .map((operation) => ({
      id: visibleLine(operation.id),
      what: words.get(operation.id)?.title ?? visibleLine(operation.address),
      why: reasonOfOrder(operation) ?? plainReason(operation),
    }));
}

function plainReason({ after }: Operation): string {
  return visibleLine(after.length === 0 ? "no dependencies" : `after ${listFew(after, 6)}`);
}

function isUnusual(operation: Operation, isReplaced: boolean): boolean {
  if (operation.temporary !== undefined || operation.handsOver !== undefined) return true;
  if (operation.why === null) return false;
  return (
    isReplaced ||
    Object.values(operation.waits).some((reason) => reason === "free" || reason === "late" || reason === "unuse")
  );
}

/** Why an operation has its place, and what is sent if those that it makes room for fail; null when neither. */
export function reasonOfOrder({ handsOver, temporary, why }: Operation): string | null {
  const release = temporary ?? handsOver;
  const takers = release === undefined ? "" : listFew(release.takers, 6);
  const failure = release?.takers.length === 1 ? takers : `one of ${takers}`;
  const undone = release?.restore === null ? "a delete is not undone" : "takes it back";
  const parts = [
    ...(why === null ? [] : [why]),
    ...(release === undefined
      ? []
      : [
          `${handsOver === undefined ? "" : `releases what ${release.takers.length === 1 ? `${takers} takes` : `${takers} take`}; `}${undone} if ${failure} fails`,
        ]),
  ];
  return parts.length === 0 ? null : visibleLine(parts.join("; "));
}
