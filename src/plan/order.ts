import { claimText } from "../kinds/kind.js";
import { feedbackSet } from "./feedback-set.js";
import { push } from "./live-index.js";
import { OperationGraph, strongComponents } from "./operation-graph.js";
import { type PlannedOperation, type Split, idOf } from "./resource-change.js";

/** Operations in an order in which they could be run one by one, and the graph of what waits for what. */
export interface Ordered {
  readonly operations: readonly PlannedOperation[];
  /** By index into `operations`. */
  readonly graph: OperationGraph;
  /** Claims that are unserved for a moment: freed by one, taken by another. Indexes into `operations`. */
  readonly gaps: readonly { readonly claim: string; readonly freedBy: number; readonly takenBy: number }[];
  /** Cycles that could not be broken; empty = the order stands. */
  readonly cycles: readonly Cycle[];
}

/**
 * Derives the order from what operations use, detach, take and free. It knows six reasons and no kinds:
 * `same` resource, `use` what another makes, `unuse` (detach) before it is deleted, `free` before it is taken,
 * `late`: a release waits for what its taker waits for, `last`: deletes after all else.
 * @param sequences the operations of one resource in their order, one list for each resource
 */
export function order(sequences: readonly (readonly PlannedOperation[])[]): Ordered {
  const { sequences: acyclic, cycles } = breakCycles(sequences);
  const unordered = acyclic.flat();
  const graph = hardEdges(acyclic, unordered);
  if (cycles.length > 0) return { operations: unordered, graph, gaps: [], cycles };
  addDelayedReleases(unordered, graph);
  addLast(unordered, graph);
  const sorted = graph.sort();
  const position = new Map(sorted.map((index, place) => [index, place]));
  const operations = sorted.flatMap((index) => unordered[index] ?? []);
  return { operations, graph: graph.renumbered(position), gaps: gapsIn(operations), cycles: [] };
}

function gapsIn(operations: readonly PlannedOperation[]): Ordered["gaps"] {
  const freed = new Map<string, number>();
  for (const [index, operation] of operations.entries()) for (const claim of operation.frees) freed.set(claim, index);
  return operations.flatMap((operation, takenBy) =>
    operation.takes.flatMap((claim) => {
      const freedBy = freed.get(claim);
      return freedBy === undefined || freedBy === takenBy ? [] : [{ claim, freedBy, takenBy }];
    }),
  );
}

/** The edges that must hold: `same`, `use`, `unuse`, `free`. */
function hardEdges(
  sequences: readonly (readonly PlannedOperation[])[],
  operations: readonly PlannedOperation[],
): OperationGraph {
  const graph = new OperationGraph(operations.length);
  const makers = new Map<string, number>();
  const destroyers = new Map<string, number[]>();
  const freers = new Map<string, number[]>();
  for (const [index, operation] of operations.entries()) {
    if (operation.makes !== null) makers.set(operation.makes, index);
    if (operation.destroys !== null) push(destroyers, operation.destroys, index);
    for (const claim of operation.frees) push(freers, claim, index);
  }
  let index = 0;
  for (const sequence of sequences) {
    for (let place = 0; place < sequence.length; place += 1, index += 1)
      if (place > 0) graph.add(index - 1, index, "same");
  }
  for (const [taker, operation] of operations.entries()) {
    for (const address of operation.uses) {
      const maker = makers.get(address);
      if (maker !== undefined) graph.add(maker, taker, "use");
    }
    for (const key of operation.detaches)
      for (const destroyer of destroyers.get(key) ?? []) graph.add(taker, destroyer, "unuse");
    for (const claim of [...operation.takes, ...operation.contested])
      for (const freer of freers.get(claim) ?? []) graph.add(freer, taker, "free");
  }
  return graph;
}

/** How many nodes a search for a cycle visits before a `late` edge is left out: it is not required for correctness. */
const delayedReleaseBound = 2_000;

/** Above this many pairs, a layer waits for the one before through a single member, to keep the graph small. */
const pairBound = 1_000;

/** A release waits for everything that its taker waits for, to keep the gap in service short. */
function addDelayedReleases(operations: readonly PlannedOperation[], graph: OperationGraph): void {
  // Last takers first: along a chain of edges that pass hostports on, each waits for what the next one waits for.
  for (const taker of graph.sort().toReversed()) {
    if (operations[taker]?.takes.length === 0) continue;
    const before = [...graph.before(taker)];
    const freers = before.filter(([, reason]) => reason === "free");
    if (freers.length === 0) continue;
    for (const [other, reason] of before) {
      // A delete can't be undone when the taker fails: it comes after the releases that can.
      const undoable = reason === "free" && operations[other]?.kind !== "delete";
      if (reason !== "use" && reason !== "same" && reason !== "late" && !undoable) continue;
      for (const [freer] of freers) {
        if (undoable && operations[freer]?.kind !== "delete") continue;
        if (other !== freer && !graph.reaches(freer, other, delayedReleaseBound)) graph.add(other, freer, "late");
      }
    }
  }
}

/**
 * Deletes come last unless they free what another takes; writes that may lock edgewise out come even later, followed
 * only by the delete that ends such a replacement. A layer begins when the one before it has ended.
 */
function addLast(operations: readonly PlannedOperation[], graph: OperationGraph): void {
  const layers = layersOf(operations, graph);
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

/** The layer of each operation: its own, but never before what it must wait for. */
function layersOf(operations: readonly PlannedOperation[], graph: OperationGraph): readonly number[] {
  const layers: number[] = operations.map((operation, index) =>
    operation.layer === 1 && freesForAnother(operation, index, graph) ? 0 : operation.layer,
  );
  for (const node of graph.sort()) {
    for (const next of graph.after(node)) {
      const own = layers[next] ?? 0;
      const least = layers[node] ?? 0;
      // A delete that ends the replacement of a layer-2 write comes after it, in a layer of its own.
      if (least > own) layers[next] = own === 1 && least === 2 ? 3 : least;
    }
  }
  return layers;
}

function freesForAnother(operation: PlannedOperation, index: number, graph: OperationGraph): boolean {
  return operation.frees.length > 0 && graph.after(index).some((next) => graph.before(next).get(index) === "free");
}

/** Operations that wait for each other. */
interface Cycle {
  readonly operations: readonly PlannedOperation[];
}

/** Sequences without cycles, and the cycles that could not be broken. */
interface Acyclic {
  readonly sequences: readonly (readonly PlannedOperation[])[];
  readonly cycles: readonly Cycle[];
}

/**
 * Breaks cycles (edges that swap or rotate hostports) by temporary releases, as few as possible: an operation is split in
 * two, so that it releases what others wait for before it takes its own. Of equally few the choice is preferred in which
 * the most edges keep something else to serve.
 */
function breakCycles(sequences: readonly (readonly PlannedOperation[])[]): Acyclic {
  let current = sequences;
  // One round is enough unless what is left of an operation is itself part of a cycle.
  for (;;) {
    const operations = current.flat();
    const graph = hardEdges(current, operations);
    const components = strongComponents(graph);
    if (components.length === 0) return { sequences: current, cycles: [] };
    const splits = splitsIn(components, operations);
    const cuts = feedbackSet(graph, {
      canCut: (node) => splits.has(node),
      preferred: (node) => splits.get(node)?.keeps === true,
    });
    if (cuts.length === 0) {
      const waiting = new Set(components.flat().flatMap((index) => operations[index] ?? []));
      if (![...waiting].some(({ contested }) => contested.length > 0)) {
        const cycles = components.map((component) => ({
          operations: component.flatMap((index) => operations[index] ?? []),
        }));
        return { sequences: current, cycles };
      }
      // Live, each holds what the other keeps: a service that lets them do so lets them go on in any order.
      current = current.map((sequence) =>
        sequence.map((operation) => (waiting.has(operation) ? { ...operation, contested: [] } : operation)),
      );
      continue;
    }
    const split = new Map(cuts.map((index) => [operations[index], splits.get(index)]));
    current = current.map((sequence) =>
      sequence.flatMap((operation) => {
        const parts = split.get(operation);
        return parts === undefined ? [operation] : [parts.release, parts.rest];
      }),
    );
  }
}

/** How the operations on cycles can be split, by index: each releases all that others of its component wait for. */
function splitsIn(
  components: readonly (readonly number[])[],
  operations: readonly PlannedOperation[],
): ReadonlyMap<number, Split> {
  const splits = new Map<number, Split>();
  for (const component of components) {
    const wanted = new Set(
      component.flatMap((index) => [...(operations[index]?.takes ?? []), ...(operations[index]?.contested ?? [])]),
    );
    for (const index of component) {
      const operation = operations[index];
      const claims = new Set(operation?.frees.filter((claim) => wanted.has(claim)));
      const split = claims.size === 0 ? undefined : operation?.split?.(claims);
      if (split !== undefined) splits.set(index, split);
    }
  }
  return splits;
}

/**
 * Two operations that touch one resource or hostport although no wait orders them, for people; null when there are none.
 * Only neighbours in plan order are compared: when each pair of those is ordered, all are. Two that release one hostport,
 * which a service may show on two edges, don't disturb each other. Linear in what is touched.
 */
export function findUnorderedPair({ operations, graph }: Ordered): string | null {
  const groups = new Map<string, Touch[]>();
  for (const [index, operation] of operations.entries()) {
    const own =
      operation.resourceId === null ? `new:${operation.address}` : `live:${operation.address}:${operation.resourceId}`;
    const taken = new Set([own, ...operation.takes, ...operation.contested]);
    for (const key of taken) push(groups, key, { index, releases: false });
    for (const key of operation.frees) if (!taken.has(key)) push(groups, key, { index, releases: true });
  }
  const isOrdered = (earlier: number, later: number): boolean =>
    graph.before(later).has(earlier) || graph.reaches(earlier, later, operations.length);
  for (const [key, members] of groups) {
    let taker: number | null = null;
    let releases: number[] = [];
    for (const { index, releases: onlyReleases } of members) {
      const before = onlyReleases || releases.length === 0 ? (taker ?? []) : releases;
      const unordered = [before].flat().find((earlier) => !isOrdered(earlier, index));
      if (unordered !== undefined)
        return `${idOf(unordered)} and ${idOf(index)} both touch ${claimText(key)}, and nothing orders them`;
      if (onlyReleases) releases.push(index);
      else [taker, releases] = [index, []];
    }
  }
  return null;
}

/** That an operation touches a resource or a claim. */
interface Touch {
  readonly index: number;
  /** It does nothing else to the claim. */
  readonly releases: boolean;
}
