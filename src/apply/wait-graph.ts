import { EdgewiseError } from "../core/errors.js";
import { OperationGraph } from "../plan/operation-graph.js";
import type { Operation, WaitReason } from "../plan/plan-format.js";

/** The operations by their index in the plan, and which of them wait for which. */
export interface WaitGraph {
  readonly operations: readonly Operation[];
  readonly indexOf: ReadonlyMap<string, number>;
  readonly waits: OperationGraph;
}

/**
 * Whether an operation is skipped when the one that it waits for fails. `last` only orders. A delayed release (`late`)
 * is skipped when its taker fails: nothing would serve what it releases.
 */
export function isHard(reason: WaitReason): boolean {
  return reason !== "last";
}

/**
 * The graph of a plan's operations.
 * @throws EdgewiseError `plan-file` when an id occurs twice, an operation waits for one that is not there, or waits form a
 * circle
 */
export function waitGraph(operations: readonly Operation[]): WaitGraph {
  const indexOf = new Map(operations.map(({ id }, index) => [id, index]));
  if (indexOf.size !== operations.length) throw unusablePlan("two of its operations have the same id");
  const waits = new OperationGraph(operations.length);
  for (const [index, operation] of operations.entries()) {
    for (const id of operation.after) {
      const before = indexOf.get(id);
      if (before === undefined) throw unusablePlan(`${operation.id} waits for ${id}, which is not in the plan`);
      // A wait without a reason counts as the strictest.
      waits.add(before, index, operation.waits[id] ?? "same");
    }
  }
  if (waits.sort().length !== operations.length) throw unusablePlan("some of its operations wait for each other");
  return { operations, indexOf, waits };
}

/** The planner makes no such plan: the file was edited. */
function unusablePlan(why: string): EdgewiseError {
  return new EdgewiseError("plan-file", `This plan can't be applied: ${why}.`, { remedy: "Make the plan again." });
}
