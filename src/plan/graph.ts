import TinyQueue from "tinyqueue";
import { push } from "./live-resource.js";
import type { WaitReason } from "./plan.js";

const nothing: ReadonlyMap<number, WaitReason> = new Map();
const none: readonly number[] = [];

/** Which operation waits for which, and why. Nodes are numbers from 0. */
export class Graph {
  // Most operations wait for nothing: what is not there is empty.
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
    return this.#before.get(node) ?? nothing;
  }

  /** What waits for a node. */
  after(node: number): readonly number[] {
    return this.#after.get(node) ?? none;
  }

  /** Whether `to` is reached from `from`; gives up (true) after visiting `bound` nodes. */
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
  renumbered(position: ReadonlyMap<number, number>): Graph {
    const graph = new Graph(this.size);
    for (let node = 0; node < this.size; node += 1) {
      for (const [earlier, reason] of this.before(node)) {
        graph.add(position.get(earlier) ?? earlier, position.get(node) ?? node, reason);
      }
    }
    return graph;
  }
}
