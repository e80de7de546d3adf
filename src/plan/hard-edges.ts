import type { PlannedOperation } from "./draft.js";
import { OperationGraph } from "./graph.js";
import { push } from "./live-resource.js";

/** The edges that must hold: `same`, `use`, `unuse`, `free`. */
export function hardEdges(
  sequences: readonly (readonly PlannedOperation[])[],
  drafts: readonly PlannedOperation[],
): OperationGraph {
  const graph = new OperationGraph(drafts.length);
  const makers = new Map<string, number>();
  const destroyers = new Map<string, number[]>();
  const freers = new Map<string, number[]>();
  for (const [index, draft] of drafts.entries()) {
    if (draft.makes !== null) makers.set(draft.makes, index);
    if (draft.destroys !== null) push(destroyers, draft.destroys, index);
    for (const claim of draft.frees) push(freers, claim, index);
  }
  let index = 0;
  for (const sequence of sequences) {
    for (let place = 0; place < sequence.length; place += 1, index += 1)
      if (place > 0) graph.add(index - 1, index, "same");
  }
  for (const [taker, draft] of drafts.entries()) {
    for (const address of draft.uses) {
      const maker = makers.get(address);
      if (maker !== undefined) graph.add(maker, taker, "use");
    }
    for (const key of draft.detaches)
      for (const destroyer of destroyers.get(key) ?? []) graph.add(taker, destroyer, "unuse");
    for (const claim of draft.takes) for (const freer of freers.get(claim) ?? []) graph.add(freer, taker, "free");
  }
  return graph;
}
