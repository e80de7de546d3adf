import { push } from "./live-index.js";
import { OperationGraph, strongComponents } from "./operation-graph.js";
import type { PlannedOperation, Split } from "./resource-change.js";

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

/** The edges that must hold: `same`, `use`, `unuse`, `free`. */
function hardEdges(
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

/** How far a search for a circle goes before a `late` edge is given up: it is a kindness, not a need. */
const delayedReleaseBound = 2_000;

/** Above this many pairs, a layer waits for the one before through one of its members. */
const pairBound = 1_000;

/** A release waits for everything that its taker waits for, so that the hostport is unserved as briefly as can be. */
function addDelayedReleases(drafts: readonly PlannedOperation[], graph: OperationGraph): void {
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
function addLast(drafts: readonly PlannedOperation[], graph: OperationGraph): void {
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

/** Operations that wait for each other in a circle. */
interface Cycle {
  readonly drafts: readonly PlannedOperation[];
}

/** Sequences without circles, and the circles that could not be broken. */
interface Acyclic {
  readonly sequences: readonly (readonly PlannedOperation[])[];
  readonly cycles: readonly Cycle[];
}

/**
 * Breaks circles (edges that swap or rotate hostports) by a temporary release: one operation of each circle is cut in
 * two, so that it lets go what another waits for before it takes what it gets. The one that keeps something else to
 * serve is preferred; otherwise the first.
 */
function breakCycles(sequences: readonly (readonly PlannedOperation[])[]): Acyclic {
  let current = sequences;
  // Each round breaks one operation of every circle; a circle within a circle takes another round.
  for (;;) {
    const drafts = current.flat();
    const components = strongComponents(hardEdges(current, drafts));
    if (components.length === 0) return { sequences: current, cycles: [] };
    const cuts = new Map<PlannedOperation, Split>();
    const stuck: Cycle[] = [];
    for (const component of components) {
      const members = component.flatMap((index) => drafts[index] ?? []);
      const cut = bestCut(members);
      if (cut === null) stuck.push({ drafts: members });
      else cuts.set(cut.draft, cut.split);
    }
    if (cuts.size === 0) return { sequences: current, cycles: stuck };
    current = current.map((sequence) =>
      sequence.flatMap((draft) => {
        const split = cuts.get(draft);
        return split === undefined ? [draft] : [split.release, split.rest];
      }),
    );
  }
}

function bestCut(
  members: readonly PlannedOperation[],
): { readonly draft: PlannedOperation; readonly split: Split } | null {
  const wanted = new Set(members.flatMap((draft) => draft.takes));
  let first: { readonly draft: PlannedOperation; readonly split: Split } | null = null;
  for (const draft of members) {
    const claims = new Set(draft.frees.filter((claim) => wanted.has(claim)));
    const split = claims.size === 0 ? undefined : draft.split?.(claims);
    if (split === undefined) continue;
    if (split.keeps) return { draft, split };
    first ??= { draft, split };
  }
  return first;
}

/**
 * Two operations that touch one resource or hostport and that nothing orders, in words; null when there are none.
 * In plan order every pair of neighbours in such a group must be ordered, so it costs as much as there is to touch.
 */
export function findUnorderedPair({ drafts, graph }: Ordered): string | null {
  const groups = new Map<string, number[]>();
  for (const [index, draft] of drafts.entries()) {
    const own = draft.resourceId === null ? `new:${draft.address}` : `live:${draft.address}:${draft.resourceId}`;
    const touched = new Set([own, ...draft.takes, ...draft.frees]);
    for (const key of touched) push(groups, key, index);
  }
  for (const [key, members] of groups) {
    for (const [place, later] of members.entries()) {
      const earlier = place === 0 ? undefined : members[place - 1];
      if (earlier === undefined || graph.before(later).has(earlier) || graph.reaches(earlier, later, drafts.length))
        continue;
      return `op-${earlier + 1} and op-${later + 1} both touch ${key.replace(/^(new|live|hostport):/u, "")}, and nothing orders them`;
    }
  }
  return null;
}
