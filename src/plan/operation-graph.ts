import TinyQueue from "tinyqueue";
import { push } from "./live-index.js";
import type { WaitReason } from "./plan-format.js";

/** Which operation waits for which, and why. Nodes are numbers from 0. */
export class OperationGraph {
  readonly #before = new Map<number, Map<number, WaitReason>>();
  readonly #after = new Map<number, number[]>();

  constructor(readonly size: number) {}

  /** The first reason given for a pair stays. */
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

  /** The lowest number first among those that are free. Nodes on and behind cycles are left out. */
  sort(without: ReadonlySet<number> = new Set()): readonly number[] {
    const waiting = new Map<number, number>();
    const free = new TinyQueue<number>();
    for (let node = 0; node < this.size; node += 1) {
      if (without.has(node)) continue;
      const count = [...this.before(node).keys()].filter((earlier) => !without.has(earlier)).length;
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
    const graph = new OperationGraph(this.size);
    for (let node = 0; node < this.size; node += 1) {
      for (const [earlier, reason] of this.before(node))
        graph.add(position.get(earlier) ?? earlier, position.get(node) ?? node, reason);
    }
    return graph;
  }

  cycles(without: ReadonlySet<number> = new Set()): readonly (readonly number[])[] {
    const sorted = new Set(this.sort(without));
    const open = new Set<number>();
    for (let node = 0; node < this.size; node += 1) if (!sorted.has(node) && !without.has(node)) open.add(node);
    const found: (readonly number[])[] = [];
    for (const node of open) {
      const later = within(open, node, (one) => this.after(one));
      const earlier = within(open, node, (one) => [...this.before(one).keys()]);
      const component = [...later].filter((one) => earlier.has(one)).toSorted((a, b) => a - b);
      if (component.length > 1) found.push(component);
      for (const one of component) open.delete(one);
    }
    return found;
  }
}

function within(
  nodes: ReadonlySet<number>,
  start: number,
  next: (node: number) => readonly number[],
): ReadonlySet<number> {
  const seen = new Set([start]);
  for (const node of seen) for (const one of next(node)) if (nodes.has(one)) seen.add(one);
  return seen;
}

/** Up to this many nodes every choice is compared; beyond, a choice is made step by step. */
const mostCompared = 12;

/** Nodes without which there is no cycle: as few as possible, of equally few the most preferred. */
export function cutsOf(
  graph: OperationGraph,
  canCut: (node: number) => boolean,
  isPreferred: (node: number) => boolean,
): readonly number[] {
  const cuts = new Set<number>();
  for (let isDone = false; !isDone;) {
    isDone = true;
    for (const component of graph.cycles(cuts)) {
      const candidates = component.filter(canCut);
      if (candidates.length === 0) continue;
      isDone = false;
      const best =
        candidates.length > mostCompared
          ? [busiest(graph, candidates, isPreferred)]
          : (fewest(graph, component, candidates, isPreferred) ?? candidates);
      for (const node of best) cuts.add(node);
    }
  }
  return [...cuts].toSorted((a, b) => a - b);
}

function fewest(
  graph: OperationGraph,
  component: readonly number[],
  candidates: readonly number[],
  isPreferred: (node: number) => boolean,
): readonly number[] | null {
  const part = partOf(graph, component);
  const places = new Map(component.map((node, place) => [node, place]));
  const costOf = (cut: readonly number[]): number =>
    cut.reduce((sum, node) => sum + mostCompared + (isPreferred(node) ? 1 : 2), 0);
  const choices = Array.from({ length: 2 ** candidates.length }, (_, set) =>
    candidates.filter((__, bit) => ((set >> bit) & 1) === 1),
  ).toSorted((a, b) => costOf(a) - costOf(b));
  const enough = choices.find((cut) => {
    const without = new Set(cut.flatMap((node) => places.get(node) ?? []));
    return part.sort(without).length === part.size - without.size;
  });
  return enough ?? null;
}

/** The one through which the most ways lead. */
function busiest(graph: OperationGraph, candidates: readonly number[], isPreferred: (node: number) => boolean): number {
  const ways = (node: number): number =>
    2 * graph.after(node).length * graph.before(node).size + (isPreferred(node) ? 1 : 0);
  return candidates.reduce((best, node) => (ways(node) > ways(best) ? node : best));
}

function partOf(graph: OperationGraph, nodes: readonly number[]): OperationGraph {
  const places = new Map(nodes.map((node, place) => [node, place]));
  const part = new OperationGraph(nodes.length);
  for (const [later, node] of nodes.entries()) {
    for (const [before, reason] of graph.before(node)) {
      const earlier = places.get(before);
      if (earlier !== undefined) part.add(earlier, later, reason);
    }
  }
  return part;
}
