import TinyQueue from "tinyqueue";
import { push } from "./live-index.js";
import type { WaitReason } from "./plan-format.js";

const noReasons: ReadonlyMap<number, WaitReason> = new Map();
const noNodes: readonly number[] = [];

/** Which operation waits for which, and why. Nodes are numbers from 0. */
export class OperationGraph {
  // Most operations wait for nothing: a node without an entry has none.
  readonly #before = new Map<number, Map<number, WaitReason>>();
  readonly #after = new Map<number, number[]>();

  constructor(readonly size: number) {}

  /** `later` waits for `earlier`. The first reason given for a pair stays. */
  add(earlier: number, later: number, reason: WaitReason): void {
    if (earlier === later) return;
    const before = this.#before.get(later);
    if (before === undefined) this.#before.set(later, new Map([[earlier, reason]]));
    else if (before.has(earlier)) return;
    else before.set(earlier, reason);
    push(this.#after, earlier, later);
  }

  /** What a node waits for, with the reasons. */
  before(node: number): ReadonlyMap<number, WaitReason> {
    return this.#before.get(node) ?? noReasons;
  }

  /** What waits for a node. */
  after(node: number): readonly number[] {
    return this.#after.get(node) ?? noNodes;
  }

  /** Whether `to` can be reached from `from`; gives up, returning true, after visiting `bound` nodes. */
  reaches(from: number, to: number, bound: number): boolean {
    const seen = new Set([from]);
    for (const node of seen) {
      if (node === to || seen.size > bound) return true;
      for (const next of this.after(node)) seen.add(next);
    }
    return false;
  }

  /** A topological order, the lowest number first among those that are free. Nodes on cycles are left out. */
  sort(): readonly number[] {
    const waiting = Array.from({ length: this.size }, (_, node) => this.before(node).size);
    const free = new TinyQueue<number>();
    for (const [node, count] of waiting.entries()) if (count === 0) free.push(node);
    const sorted: number[] = [];
    for (let node = free.pop(); node !== undefined; node = free.pop()) {
      sorted.push(node);
      for (const next of this.after(node)) {
        const left = (waiting[next] ?? 0) - 1;
        waiting[next] = left;
        if (left === 0) free.push(next);
      }
    }
    return sorted;
  }

  /** The same graph with other numbers. */
  renumbered(position: ReadonlyMap<number, number>): OperationGraph {
    const graph = new OperationGraph(this.size);
    for (let node = 0; node < this.size; node += 1) {
      for (const [earlier, reason] of this.before(node)) {
        graph.add(position.get(earlier) ?? earlier, position.get(node) ?? node, reason);
      }
    }
    return graph;
  }
}

/** Sets of nodes that wait for each other in a cycle (Tarjan's algorithm, without recursion). Linear. */
export function strongComponents(graph: OperationGraph): readonly (readonly number[])[] {
  const index = new Map<number, number>();
  const low = new Map<number, number>();
  const open: number[] = [];
  const isOpen = new Set<number>();
  const components: number[][] = [];
  for (let root = 0; root < graph.size; root += 1) {
    if (index.has(root)) continue;
    const path: { readonly node: number; next: number }[] = [{ node: root, next: 0 }];
    while (path.length > 0) {
      const step = path.at(-1);
      if (step === undefined) break;
      const { node } = step;
      if (step.next === 0) {
        index.set(node, index.size);
        low.set(node, index.size - 1);
        open.push(node);
        isOpen.add(node);
      }
      const child = graph.after(node)[step.next];
      step.next += 1;
      if (child !== undefined) {
        if (!index.has(child)) path.push({ node: child, next: 0 });
        else if (isOpen.has(child)) low.set(node, Math.min(low.get(node) ?? 0, index.get(child) ?? 0));
        continue;
      }
      path.pop();
      const parent = path.at(-1);
      if (parent !== undefined) low.set(parent.node, Math.min(low.get(parent.node) ?? 0, low.get(node) ?? 0));
      if (low.get(node) !== index.get(node)) continue;
      const component: number[] = [];
      for (let member = open.pop(); member !== undefined; member = open.pop()) {
        isOpen.delete(member);
        component.push(member);
        if (member === node) break;
      }
      if (component.length > 1) components.push(component.toSorted((a, b) => a - b));
    }
  }
  return components;
}
