import type { PlannedOperation } from "./draft.js";
import type { OperationGraph } from "./graph.js";
import { push } from "./live-resource.js";

/** How far a search for a circle goes before a `late` edge is given up: it is a kindness, not a need. */
const delayedReleaseBound = 2_000;

/** Above this many pairs, a layer waits for the one before through one of its members. */
const pairBound = 1_000;

/** A release waits for everything that its taker waits for, so that the hostport is unserved as briefly as can be. */
export function addDelayedReleases(drafts: readonly PlannedOperation[], graph: OperationGraph): void {
  // The last takers first: what they wait for is passed on along a chain of edges that hand hostports to each other.
  for (const taker of graph.sort().toReversed()) {
    if (drafts[taker]?.takes.length === 0) continue;
    const before = [...graph.before(taker)];
    const freers = before.filter(([, reason]) => reason === "free");
    if (freers.length === 0) continue;
    for (const [other, reason] of before) {
      if (reason !== "use" && reason !== "same" && reason !== "late") continue;
      for (const [freer] of freers) {
        if (other !== freer && !graph.reaches(freer, other, delayedReleaseBound)) graph.add(other, freer, "late");
      }
    }
  }
}

/**
 * Deletes come last unless they free what another takes; what may lock the tool out comes after even those, but for
 * the delete that ends its replacement. A layer begins when the one before it has ended.
 */
export function addLast(drafts: readonly PlannedOperation[], graph: OperationGraph): void {
  const layers = layersOf(drafts, graph);
  const members = new Map<number, number[]>();
  for (const [index, layer] of layers.entries()) push(members, layer, index);
  const present = [...members.keys()].toSorted((a, b) => a - b);
  for (const [place, layer] of present.entries()) {
    const earlier = place === 0 ? undefined : present[place - 1];
    if (earlier === undefined) continue;
    const inLayer = (node: number, which: number): boolean => layers[node] === which;
    const sinks = (members.get(earlier) ?? []).filter(
      (node) => !graph.after(node).some((next) => inLayer(next, earlier)),
    );
    const sources = (members.get(layer) ?? []).filter(
      (node) => ![...graph.before(node).keys()].some((previous) => inLayer(previous, layer)),
    );
    connect(sinks, sources, graph);
  }
}

function connect(sinks: readonly number[], sources: readonly number[], graph: OperationGraph): void {
  const [gate, ...others] = sources;
  if (gate === undefined) return;
  if (sinks.length * sources.length <= pairBound) {
    for (const source of sources) for (const sink of sinks) graph.add(sink, source, "last");
    return;
  }
  for (const sink of sinks) graph.add(sink, gate, "last");
  for (const source of others) graph.add(gate, source, "last");
}

/** The layer of each draft: its own, but never before what it must wait for. */
function layersOf(drafts: readonly PlannedOperation[], graph: OperationGraph): readonly number[] {
  const layers: number[] = drafts.map((draft, index) =>
    draft.layer === 1 && freesForAnother(draft, index, graph) ? 0 : draft.layer,
  );
  for (const node of graph.sort()) {
    for (const next of graph.after(node)) {
      const own = layers[next] ?? 0;
      const least = layers[node] ?? 0;
      // A delete that ends the replacement of something put off comes after it, in a layer of its own.
      if (least > own) layers[next] = own === 1 && least === 2 ? 3 : least;
    }
  }
  return layers;
}

function freesForAnother(draft: PlannedOperation, index: number, graph: OperationGraph): boolean {
  return draft.frees.length > 0 && graph.after(index).some((next) => graph.before(next).get(index) === "free");
}
