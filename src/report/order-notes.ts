import type { Operation, Plan } from "../plan/plan-format.js";
import { visibleLine } from "./escape.js";

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
