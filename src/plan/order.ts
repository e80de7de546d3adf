import { breakCycles, type Cycle } from "./break-cycles.js";
import type { PlannedOperation } from "./draft.js";
import type { OperationGraph } from "./graph.js";
import { hardEdges } from "./hard-edges.js";
import { addLast, addDelayedReleases } from "./soft-edges.js";

/** Drafts in an order in which they could be run one by one, with the graph that says what waits for what. */
export interface Ordered {
  readonly drafts: readonly PlannedOperation[];
  /** By index into `drafts`. */
  readonly graph: OperationGraph;
  /** Claims that are unserved for a moment: freed by one, taken by another. Indexes into `drafts`. */
  readonly gaps: readonly { readonly claim: string; readonly freedBy: number; readonly takenBy: number }[];
  /** Cycles that could not be broken, by index. Empty = the order stands. */
  readonly cycles: readonly Cycle[];
}

/**
 * Derives the order from what operations use, unuse, take and free. It knows six reasons and no kinds:
 * `same` resource, `use` what another makes, `unuse` before it is deleted, `free` before it is taken,
 * `late`: a release waits for what its taker waits for, `last`: deletes after all else.
 * @param sequences the operations of one resource in their order, one list for each resource
 */
export function order(sequences: readonly (readonly PlannedOperation[])[]): Ordered {
  const { sequences: acyclic, cycles } = breakCycles(sequences);
  const unordered = acyclic.flat();
  const graph = hardEdges(acyclic, unordered);
  if (cycles.length > 0) return { drafts: unordered, graph, gaps: [], cycles };
  addDelayedReleases(unordered, graph);
  addLast(unordered, graph);
  const sorted = graph.sort();
  const position = new Map(sorted.map((index, place) => [index, place]));
  const drafts = sorted.flatMap((index) => unordered[index] ?? []);
  return { drafts, graph: graph.renumbered(position), gaps: gapsIn(drafts), cycles: [] };
}

function gapsIn(drafts: readonly PlannedOperation[]): Ordered["gaps"] {
  const freed = new Map<string, number>();
  for (const [index, draft] of drafts.entries()) for (const claim of draft.frees) freed.set(claim, index);
  return drafts.flatMap((draft, takenBy) =>
    draft.takes.flatMap((claim) => {
      const freedBy = freed.get(claim);
      return freedBy === undefined || freedBy === takenBy ? [] : [{ claim, freedBy, takenBy }];
    }),
  );
}
