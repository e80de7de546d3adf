import TinyQueue from "tinyqueue";
import type { Json } from "../core/json.js";
import { claimText } from "../kinds/kind.js";
import type { Address } from "../kinds/names.js";
import { push } from "./live-index.js";
import type { OperationRequest, WaitReason } from "./plan-format.js";

export type PlannedOperation = OperationRequest &
  Readonly<{
    makes: Address | null;
    destroys: string | null;
    uses: readonly Address[];
    detaches: readonly string[];
    takes: readonly string[];
    frees: readonly string[];
    /** 0 = as soon as possible; 1 = deletes that free nothing; 2 = what may lock edgewise out. */
    layer: 0 | 1 | 2;
    notes: readonly string[];
    split?: (claims: ReadonlySet<string>) => Split;
    restore?: Json;
    takeBack?: (claims: ReadonlySet<string>) => Json;
  }>;

export type Split = Readonly<{
  release: PlannedOperation;
  rest: PlannedOperation;
  keeps: boolean;
}>;

export function idOf(index: number): string {
  return `op-${index + 1}`;
}

export type Ordered = Readonly<{
  operations: readonly PlannedOperation[];
  graph: OperationGraph;
  gaps: readonly Readonly<{ claim: string; freedBy: number; takenBy: number }>[];
  cycles: readonly (readonly PlannedOperation[])[];
}>;

type Sequences = readonly (readonly PlannedOperation[])[];

export function order(sequences: Sequences): Ordered {
  const { cycles, graph, operations: unordered } = breakCycles(sequences);
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

function hardEdges(sequences: Sequences, operations: readonly PlannedOperation[]): OperationGraph {
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
    for (const claim of operation.takes) for (const freer of freers.get(claim) ?? []) graph.add(freer, taker, "free");
  }
  return graph;
}

/** Beyond, a `late` edge is left out: correctness doesn't need it. */
const delayedReleaseBound = 2_000;

/** For a short gap in service a release waits for all that its taker waits for. */
function addDelayedReleases(operations: readonly PlannedOperation[], graph: OperationGraph) {
  for (const taker of graph.sort().toReversed()) {
    if (operations[taker]?.takes.length === 0) continue;
    const before = [...graph.before(taker)];
    const freers = before.filter(([, reason]) => reason === "free");
    for (const [other, reason] of before) {
      // A delete can't be undone: it comes after the releases that can.
      const isUndoable = reason === "free" && operations[other]?.kind !== "delete";
      if (reason !== "use" && reason !== "same" && reason !== "late" && !isUndoable) continue;
      for (const [freer] of freers) {
        if (isUndoable && operations[freer]?.kind !== "delete") continue;
        if (other !== freer && !graph.reaches(freer, other, delayedReleaseBound)) graph.add(other, freer, "late");
      }
    }
  }
}

/** Beyond, a layer waits through one member. */
const pairBound = 1_000;

/** Deletes that free nothing come last; what may lock edgewise out even later. */
function addLast(operations: readonly PlannedOperation[], graph: OperationGraph) {
  const layers = layersOf(operations, graph);
  const members = new Map<number, number[]>();
  for (const [index, layer] of layers.entries()) push(members, layer, index);
  const present = [...members].toSorted(([a], [b]) => a - b);
  for (const [place, [layer, nodes]] of present.entries()) {
    const [earlier = -1, ended = []] = present[place - 1] ?? [];
    const sinks = ended.filter((node) => !graph.after(node).some((next) => layers[next] === earlier));
    const sources = nodes.filter((node) => ![...graph.before(node).keys()].some((one) => layers[one] === layer));
    const [gate = -1, ...others] = sources;
    const isSmall = sinks.length * sources.length <= pairBound;
    for (const sink of sinks) for (const source of isSmall ? sources : [gate]) graph.add(sink, source, "last");
    if (!isSmall) for (const source of others) graph.add(gate, source, "last");
  }
}

function layersOf(operations: readonly PlannedOperation[], graph: OperationGraph) {
  const layers: number[] = operations.map(({ layer }, index) => {
    const isFreeing = graph.after(index).some((next) => graph.before(next).get(index) === "free");
    return layer === 1 && isFreeing ? 0 : layer;
  });
  for (const node of graph.sort()) {
    for (const next of graph.after(node)) {
      const [least = 0, own = 0] = [layers[node], layers[next]];
      // Such a delete ends the replacement of a layer-2 write.
      if (least > own) layers[next] = own === 1 && least === 2 ? 3 : least;
    }
  }
  return layers;
}

function breakCycles(sequences: Sequences): Pick<Ordered, "operations" | "graph" | "cycles"> {
  let current = sequences;
  for (;;) {
    const operations = current.flat();
    const graph = hardEdges(current, operations);
    const cycles = graph.cycles().map((cycle) => cycle.flatMap((index) => operations[index] ?? []));
    const splits = new Map(cycles.flatMap(splitsIn));
    const cuts = cutsOf(graph, (index) => splits.get(operations[index]));
    if (cuts.length === 0) return { operations, graph, cycles };
    const cut = new Map(cuts.map((index) => [operations[index], splits.get(operations[index])]));
    current = current.map((sequence) =>
      sequence.flatMap((operation) => {
        const parts = cut.get(operation);
        return parts === undefined ? operation : [parts.release, parts.rest];
      }),
    );
  }
}

function splitsIn(cycle: readonly PlannedOperation[]): [PlannedOperation | undefined, Split][] {
  const wanted = new Set(cycle.flatMap(({ takes }) => takes));
  return cycle.flatMap((operation): [PlannedOperation, Split][] => {
    const claims = new Set(operation.frees.filter((claim) => wanted.has(claim)));
    const split = claims.size === 0 ? undefined : operation.split?.(claims);
    return split === undefined ? [] : [[operation, split]];
  });
}

export function findUnorderedPair({ operations, graph }: Ordered): string | null {
  const groups = new Map<string, Readonly<{ index: number; releases: boolean }>[]>();
  for (const [index, { address, frees, resourceId, takes }] of operations.entries()) {
    const own = resourceId === null ? `new:${address}` : `live:${address}:${resourceId}`;
    for (const key of [own, ...takes]) push(groups, key, { index, releases: false });
    for (const key of frees) push(groups, key, { index, releases: true });
  }
  for (const [key, members] of groups) {
    for (const [place, { index, releases }] of members.entries()) {
      const other = members
        .slice(0, place)
        .find((one) => !(releases && one.releases) && !graph.reaches(one.index, index, operations.length));
      if (other !== undefined)
        return `${idOf(other.index)} and ${idOf(index)} both touch ${claimText(key)}, and nothing orders them`;
    }
  }
  return null;
}

export class OperationGraph {
  readonly nodes: ReadonlySet<number>;
  readonly #before = new Map<number, Map<number, WaitReason>>();
  readonly #after = new Map<number, number[]>();

  constructor(size: number) {
    this.nodes = new Set(Array.from({ length: size }, (_, node) => node));
  }

  add(earlier: number, later: number, reason: WaitReason): void {
    const before = this.#before.get(later) ?? new Map<number, WaitReason>();
    if (earlier === later || before.has(earlier)) return;
    this.#before.set(later, before.set(earlier, reason));
    push(this.#after, earlier, later);
  }

  before(node: number): ReadonlyMap<number, WaitReason> {
    return this.#before.get(node) ?? new Map<number, WaitReason>();
  }

  after(node: number): readonly number[] {
    return this.#after.get(node) ?? [];
  }

  /** Gives up, returning true, after visiting `bound` nodes. */
  reaches(from: number, to: number, bound: number): boolean {
    const seen = new Set([from]);
    for (const node of seen) {
      if (node === to || seen.size > bound) return true;
      for (const next of this.after(node)) seen.add(next);
    }
    return false;
  }

  sort(nodes = this.nodes): readonly number[] {
    const waiting = new Map<number, number>();
    const free = new TinyQueue<number>();
    for (const node of nodes) {
      const count = [...this.before(node).keys()].filter((earlier) => nodes.has(earlier)).length;
      if (count === 0) free.push(node);
      else waiting.set(node, count);
    }
    const sorted: number[] = [];
    for (let node = free.pop(); node !== undefined; node = free.pop()) {
      sorted.push(node);
      for (const next of this.after(node)) {
        const left = waiting.get(next);
        if (left === 1) free.push(next);
        if (left !== undefined) waiting.set(next, left - 1);
      }
    }
    return sorted;
  }

  renumbered(position: ReadonlyMap<number, number>): OperationGraph {
    const graph = new OperationGraph(this.nodes.size);
    for (const node of this.nodes) {
      for (const [earlier, reason] of this.before(node))
        graph.add(position.get(earlier) ?? earlier, position.get(node) ?? node, reason);
    }
    return graph;
  }

  cycles(nodes = this.nodes): readonly (readonly number[])[] {
    const sorted = new Set(this.sort(nodes));
    const open = new Set([...nodes].filter((node) => !sorted.has(node)));
    const found: (readonly number[])[] = [];
    for (const node of open) {
      const later = within(open, node, (one) => this.after(one));
      const earlier = within(open, node, (one) => this.before(one).keys());
      const component = [...later].filter((one) => earlier.has(one)).toSorted((a, b) => a - b);
      if (component.length > 1) found.push(component);
      for (const one of component) open.delete(one);
    }
    return found;
  }
}

function within(nodes: ReadonlySet<number>, start: number, next: (node: number) => Iterable<number>) {
  const seen = new Set([start]);
  for (const node of seen) for (const one of next(node)) if (nodes.has(one)) seen.add(one);
  return seen;
}

const mostCompared = 12;

/** As few as possible; of equally few, those that keep another claim. */
function cutsOf(graph: OperationGraph, splitAt: (node: number) => Split | undefined) {
  const rank = (node: number) => (splitAt(node)?.keeps === true ? 1 : 2);
  const left = new Set(graph.nodes);
  for (;;) {
    const cuts = graph.cycles(left).flatMap((component) => {
      const candidates = component.filter((node) => splitAt(node) !== undefined);
      return candidates.length > mostCompared
        ? [busiest(graph, candidates, rank)]
        : fewest(graph, component, candidates, rank);
    });
    if (cuts.length === 0) return [...graph.nodes].filter((node) => !left.has(node));
    for (const node of cuts) left.delete(node);
  }
}

type Rank = (node: number) => number;

function fewest(graph: OperationGraph, component: readonly number[], candidates: readonly number[], rank: Rank) {
  const costOf = (cut: readonly number[]) => cut.reduce((sum, node) => sum + mostCompared + rank(node), 0);
  const choices = Array.from({ length: 2 ** candidates.length }, (_, set) =>
    candidates.filter((__, bit) => ((set >> bit) & 1) === 1),
  ).toSorted((a, b) => costOf(a) - costOf(b));
  const enough = choices.find((cut) => {
    const rest = new Set(component.filter((node) => !cut.includes(node)));
    return graph.sort(rest).length === rest.size;
  });
  return enough ?? candidates;
}

function busiest(graph: OperationGraph, candidates: readonly number[], rank: Rank) {
  const ways = (node: number) => 2 * graph.after(node).length * graph.before(node).size - rank(node);
  return candidates.reduce((best, node) => (ways(node) > ways(best) ? node : best));
}
