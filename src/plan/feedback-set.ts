import { OperationGraph, strongComponents } from "./operation-graph.js";

/** Up to this many nodes that may be cut, every choice is compared; beyond, a choice is made step by step. */
const mostCompared = 12;

/** Which nodes of a graph may be cut, and which of them rather than others. */
export interface Cuttable {
  readonly canCut: (node: number) => boolean;
  readonly preferred: (node: number) => boolean;
}

/**
 * Nodes without which a graph has no cycle: as few as possible in each component with up to a dozen that may be cut,
 * and no more than are needed elsewhere. Of equally few the choice with the most preferred ones, then the first.
 * Cycles on which no node may be cut stay.
 */
export function feedbackSet(graph: OperationGraph, cuttable: Cuttable): readonly number[] {
  const chosen: number[] = [];
  const open = [...strongComponents(graph)];
  for (const component of open) {
    const candidates = component.filter(cuttable.canCut);
    const fewest = candidates.length > mostCompared ? null : fewestCuts(graph, component, { ...cuttable, candidates });
    if (fewest !== null) chosen.push(...fewest);
    else {
      const cut = busiest(graph, component, { ...cuttable, candidates });
      if (cut === undefined) continue;
      chosen.push(cut);
      open.push(...componentsWithin(graph, new Set(component.filter((node) => node !== cut))));
    }
  }
  return withoutNeedless(graph, chosen, cuttable).toSorted((a, b) => a - b);
}

interface Candidates extends Cuttable {
  readonly candidates: readonly number[];
}

/** The best of all choices within a component; null when none suffices. Sets of candidates are bits of a number. */
function fewestCuts(graph: OperationGraph, component: readonly number[], choice: Candidates): readonly number[] | null {
  const { candidates, preferred } = choice;
  const fixed = new Set(component.filter((node) => !choice.canCut(node)));
  if (componentsWithin(graph, fixed).length > 0) return null;
  const bits = new Map(candidates.map((node, bit) => [node, bit]));
  const next = candidates.map((node) => candidatesAfter(graph, node, { fixed, bits }));
  const all = 2 ** candidates.length - 1;
  let best: { readonly cut: number; readonly cost: number } | null = null;
  for (let cut = 0; cut <= all; cut += 1) {
    // The number of cuts counts first, then how many of them are not preferred.
    const cost = candidates.reduce(
      (sum, node, bit) => (has(cut, bit) ? sum + mostCompared + (preferred(node) ? 1 : 2) : sum),
      0,
    );
    if ((best === null || cost < best.cost) && isAcyclic(all & ~cut, next)) best = { cut, cost };
  }
  return best === null ? null : candidates.filter((_, bit) => has(best.cut, bit));
}

function has(set: number, bit: number): boolean {
  return ((set >> bit) & 1) === 1;
}

/** The candidates that a node reaches without passing another one. */
function candidatesAfter(
  graph: OperationGraph,
  node: number,
  { fixed, bits }: { readonly fixed: ReadonlySet<number>; readonly bits: ReadonlyMap<number, number> },
): number {
  let found = 0;
  const path = new Set([node]);
  for (const step of path) {
    for (const after of graph.after(step)) {
      const bit = bits.get(after);
      if (bit !== undefined) found |= 1 << bit;
      else if (fixed.has(after)) path.add(after);
    }
  }
  return found;
}

/** Whether a set of nodes has no cycle, by taking away what leads nowhere. */
function isAcyclic(nodes: number, next: readonly number[]): boolean {
  let left = nodes;
  for (;;) {
    const ends = next.reduce((sum, after, bit) => (has(left, bit) && (after & left) === 0 ? sum | (1 << bit) : sum), 0);
    if (ends === 0) return left === 0;
    left &= ~ends;
  }
}

/** The candidate through which the most ways lead within its component. */
function busiest(graph: OperationGraph, component: readonly number[], choice: Candidates): number | undefined {
  const members = new Set(component);
  let best: { readonly node: number; readonly ways: number } | undefined;
  for (const node of choice.candidates) {
    const after = graph.after(node).filter((other) => members.has(other)).length;
    const before = [...graph.before(node).keys()].filter((other) => members.has(other)).length;
    const ways = 2 * after * before + (choice.preferred(node) ? 1 : 0);
    if (best === undefined || ways > best.ways) best = { node, ways };
  }
  return best?.node;
}

/** The cuts without those that the others make needless: first those that are not preferred, and the latest choice. */
function withoutNeedless(graph: OperationGraph, chosen: readonly number[], { preferred }: Cuttable): readonly number[] {
  if (chosen.length < 2) return chosen;
  const uncut = new Set(Array.from({ length: graph.size }, (_, node) => node));
  for (const node of chosen) uncut.delete(node);
  const kept = new Set(chosen);
  const latestFirst = chosen.toReversed();
  for (const node of [...latestFirst.filter((one) => !preferred(one)), ...latestFirst.filter(preferred)]) {
    if (isOnCycle(graph, node, uncut)) continue;
    uncut.add(node);
    kept.delete(node);
  }
  return [...kept];
}

/** Whether a node would be on a cycle together with others. */
function isOnCycle(graph: OperationGraph, node: number, others: ReadonlySet<number>): boolean {
  const seen = new Set<number>();
  const path = [node];
  for (const step of path) {
    for (const after of graph.after(step)) {
      if (after === node) return true;
      if (!others.has(after) || seen.has(after)) continue;
      seen.add(after);
      path.push(after);
    }
  }
  return false;
}

/** The strong components of the part of a graph that some nodes make up. */
function componentsWithin(graph: OperationGraph, nodes: ReadonlySet<number>): readonly (readonly number[])[] {
  const members = [...nodes];
  const place = new Map(members.map((node, index) => [node, index]));
  const part = new OperationGraph(members.length);
  for (const [later, node] of members.entries()) {
    for (const [before, reason] of graph.before(node)) {
      const earlier = place.get(before);
      if (earlier !== undefined) part.add(earlier, later, reason);
    }
  }
  return strongComponents(part).map((component) => component.map((index) => members[index] ?? 0));
}
