import { EdgewiseError } from "../errors.js";
import type { Operation, WaitReason } from "../plan/plan-format.js";

/** That the operation `to` waits for another, and why. */
interface WaitEdge {
  readonly to: number;
  readonly reason: WaitReason;
}

/** Operations by their place in the plan, and who waits for whom. */
export interface WaitGraph {
  readonly operations: readonly Operation[];
  readonly indexOf: ReadonlyMap<string, number>;
  /** For each operation those that wait for it. */
  readonly followers: readonly (readonly WaitEdge[])[];
  /** For each operation those that it waits for. */
  readonly predecessors: readonly (readonly number[])[];
  /** One order in which every operation comes after all that it waits for. */
  readonly order: readonly number[];
}

/**
 * Whether the other's failure means that this one is not done. `last` only orders. A `late` release is not done when
 * its taker can't come any more: what it would let go would be served by nobody.
 */
export function isHard(reason: WaitReason): boolean {
  return reason !== "last";
}

/**
 * The graph of a plan's operations, in O(operations + waits).
 * @throws EdgewiseError `plan-file` when an id is there twice, is waited for and not there, or waits for itself
 */
export function waitGraph(operations: readonly Operation[]): WaitGraph {
  const indexOf = new Map(operations.map((operation, index) => [operation.id, index]));
  if (indexOf.size !== operations.length) throw unusablePlan("two of its operations have one id");
  const followers: WaitEdge[][] = operations.map(() => []);
  const predecessors = operations.map((operation, index) =>
    [...new Set(operation.after)].map((id) => {
      const before = indexOf.get(id);
      if (before === undefined) throw unusablePlan(`${operation.id} waits for ${id}, which it does not hold`);
      // A wait without a reason is taken for the strictest.
      followers[before]?.push({ to: index, reason: operation.waits[id] ?? "same" });
      return before;
    }),
  );
  const order = sorted(followers, predecessors);
  if (order.length !== operations.length) throw unusablePlan("some of its operations wait for each other");
  return { operations, indexOf, followers, predecessors, order };
}

function sorted(followers: readonly (readonly WaitEdge[])[], predecessors: readonly (readonly number[])[]): number[] {
  const open = predecessors.map((before) => before.length);
  const order = [...open.keys()].filter((index) => open[index] === 0);
  // The list grows while it is walked: each index is added when the last one that it waits for is passed.
  for (const index of order) {
    for (const { to } of followers[index] ?? []) {
      const left = (open[to] ?? 0) - 1;
      open[to] = left;
      if (left === 0) order.push(to);
    }
  }
  return order;
}

/** A plan that planning can't have made. */
function unusablePlan(why: string): EdgewiseError {
  return new EdgewiseError("plan-file", `This plan can't be applied: ${why}.`, { remedy: "Make the plan again." });
}
