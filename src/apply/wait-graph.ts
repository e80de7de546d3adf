import { EdgewiseError } from "../core/errors.js";
import type { Operation, WaitReason } from "../plan/plan-format.js";

/** The operation `to` waits for another. */
interface WaitEdge {
  readonly to: number;
  readonly reason: WaitReason;
}

/** The operations by their index in the plan, and which of them wait for which. */
export interface WaitGraph {
  readonly operations: readonly Operation[];
  readonly indexOf: ReadonlyMap<string, number>;
  /** For each operation, those that wait for it. */
  readonly followers: readonly (readonly WaitEdge[])[];
  /** For each operation, those that it waits for. */
  readonly predecessors: readonly (readonly number[])[];
  /** One order in which every operation comes after all that it waits for. */
  readonly order: readonly number[];
}

/**
 * Whether an operation is skipped when the one that it waits for fails. `last` only orders. A delayed release (`late`)
 * is skipped when its taker fails: nothing would serve what it releases.
 */
export function isHard(reason: WaitReason): boolean {
  return reason !== "last";
}

/**
 * The graph of a plan's operations, in O(operations + waits).
 * @throws EdgewiseError `plan-file` when an id occurs twice, an operation waits for one that is not there, or waits form a
 * circle
 */
export function waitGraph(operations: readonly Operation[]): WaitGraph {
  const indexOf = new Map(operations.map((operation, index) => [operation.id, index]));
  if (indexOf.size !== operations.length) throw unusablePlan("two of its operations have the same id");
  const followers: WaitEdge[][] = operations.map(() => []);
  const predecessors = operations.map((operation, index) =>
    [...new Set(operation.after)].map((id) => {
      const before = indexOf.get(id);
      if (before === undefined) throw unusablePlan(`${operation.id} waits for ${id}, which is not in the plan`);
      // A wait without a reason counts as the strictest.
      followers[before]?.push({ to: index, reason: operation.waits[id] ?? "same" });
      return before;
    }),
  );
  const order = topologicalOrder(followers, predecessors);
  if (order.length !== operations.length) throw unusablePlan("some of its operations wait for each other");
  return { operations, indexOf, followers, predecessors, order };
}

function topologicalOrder(
  followers: readonly (readonly WaitEdge[])[],
  predecessors: readonly (readonly number[])[],
): number[] {
  const open = predecessors.map((before) => before.length);
  const order = [...open.keys()].filter((index) => open[index] === 0);
  // The list grows while it is iterated: an index is added once all that it waits for are in the list.
  for (const index of order) {
    for (const { to } of followers[index] ?? []) {
      const left = (open[to] ?? 0) - 1;
      open[to] = left;
      if (left === 0) order.push(to);
    }
  }
  return order;
}

/** The planner makes no such plan: the file was edited. */
function unusablePlan(why: string): EdgewiseError {
  return new EdgewiseError("plan-file", `This plan can't be applied: ${why}.`, { remedy: "Make the plan again." });
}
