import { kindOf } from "../kinds/names.js";
import type { Operation, WaitReason } from "../plan/plan-format.js";
import { type Arrow, sortByArrows } from "./diagram-layout.js";

/** Operations that depend on each other, directly or by others, and on no operation elsewhere. */
export interface OperationGroup {
  /** The operations by their numbers: those that wait alike for the same ones are one node. */
  readonly nodes: readonly (readonly number[])[];
  /** Between nodes. The label is the reason to wait. */
  readonly arrows: readonly Arrow[];
  /** How many further groups are of the same shape, and how many operations those have. */
  readonly alike: number;
  readonly operationsAlike: number;
}

/** The operations of a plan by how they depend on each other. */
export interface GroupedOperations {
  /** The most telling group first. */
  readonly groups: readonly OperationGroup[];
  /** Operations that only wait until everything else has ended, as deletes do, and what waits besides. */
  readonly last: readonly number[];
  /** How many operations depend on none, and none on them; without those that come last. */
  readonly independent: number;
}

/** Beyond this many operations or waits nothing is grouped: the plan is too large to be shown as a picture. */
const mostOperations = 10_000;
const mostWaits = 200_000;

/**
 * Divides operations into groups that depend on each other. That deletes come last is no dependency here: every delete
 * waits for everything else. Null when there are too many operations or waits.
 * @param does what an operation does, in a word; by its number
 */
export function groupOperations(
  operations: readonly Operation[],
  does: (operation: number) => string,
): GroupedOperations | null {
  if (operations.length > mostOperations) return null;
  const numbers = new Map(operations.map(({ id }, index) => [id, index]));
  const arrows: Arrow[] = [];
  const last: number[] = [];
  for (const [to, { after, waits }] of operations.entries()) {
    let comesLast = false;
    for (const id of after) {
      const from = numbers.get(id);
      const label: WaitReason = waits[id] ?? "same";
      if (from === undefined || from === to) continue;
      if (label === "last") comesLast = true;
      else arrows.push({ from, to, label });
      if (arrows.length > mostWaits) return null;
    }
    if (comesLast) last.push(to);
  }
  const linked = new Set(arrows.flatMap(({ from, to }) => [from, to]));
  const names = operations.map(
    ({ address, temporary }, index) =>
      `${does(index)} ${kindOf(address)}${temporary === undefined ? "" : " temporary"}`,
  );
  const merged = mergeAlike(
    [...linked].toSorted((a, b) => a - b),
    arrows,
    names,
  );
  const groups = countShapes(connected(merged.nodes, merged.arrows), names);
  const independent = operations.length - new Set([...linked, ...last]).size;
  return { groups: groups.toSorted(byInterest), last, independent };
}

interface Graph {
  readonly nodes: readonly (readonly number[])[];
  readonly arrows: readonly Arrow[];
}

/** Fewer operations than this are drawn one by one. */
const fewestMerged = 4;

/** Makes one node of operations that do the same to one kind, and have the same neighbours for the same reasons. */
function mergeAlike(linked: readonly number[], waits: readonly Arrow[], names: readonly string[]): Graph {
  let nodes: readonly (readonly number[])[] = linked.map((operation) => [operation]);
  const nodeOf = new Map(linked.map((operation, node) => [operation, node]));
  let arrows = waits.map(({ from, label, to }) => ({ from: nodeOf.get(from) ?? 0, label, to: nodeOf.get(to) ?? 0 }));
  // What is merged may leave its neighbours with the same neighbours, too. More rounds rarely find more.
  for (let round = 0; round < 3; round += 1) {
    const neighbours: string[][] = nodes.map(() => []);
    for (const { from, label, to } of arrows) {
      neighbours[from]?.push(`>${to} ${label}`);
      neighbours[to]?.push(`<${from} ${label}`);
    }
    const alike = new Map<string, number[]>();
    for (const [node, members] of nodes.entries()) {
      const key = [names[members[0] ?? 0] ?? "", ...(neighbours[node] ?? []).toSorted()].join("\n");
      const list = alike.get(key);
      if (list === undefined) alike.set(key, [node]);
      else list.push(node);
    }
    const parts = [...alike.values()].flatMap((list) =>
      list.length < fewestMerged ? list.map((one) => [one]) : [list],
    );
    if (parts.length === nodes.length) break;
    const partOf = new Map(parts.flatMap((list, part) => list.map((node) => [node, part] as const)));
    const before = nodes;
    nodes = parts.map((list) => list.flatMap((node) => before[node] ?? []));
    const kept = new Map<string, Arrow>();
    for (const arrow of arrows) {
      const [from, to] = [partOf.get(arrow.from) ?? 0, partOf.get(arrow.to) ?? 0];
      kept.set(`${from} ${to}`, { from, to, label: arrow.label });
    }
    arrows = [...kept.values()];
  }
  return { nodes, arrows };
}

/** The parts of a graph that no arrow connects. */
function connected(nodes: Graph["nodes"], arrows: readonly Arrow[]): readonly Graph[] {
  const parents = nodes.map((_, node) => node);
  const rootOf = (node: number): number => {
    let root = node;
    for (let parent = parents[root]; parent !== undefined && parent !== root; parent = parents[root]) {
      parents[root] = parents[parent] ?? parent;
      root = parent;
    }
    return root;
  };
  for (const { from, to } of arrows) parents[rootOf(from)] = rootOf(to);
  const parts = new Map<number, { readonly nodes: (readonly number[])[]; readonly arrows: Arrow[] }>();
  const places: number[] = [];
  for (const [node, members] of nodes.entries()) {
    const root = rootOf(node);
    const part = parts.get(root) ?? { nodes: [], arrows: [] };
    parts.set(root, part);
    places.push(part.nodes.push(members) - 1);
  }
  for (const { from, label, to } of arrows)
    parts.get(rootOf(from))?.arrows.push({ from: places[from] ?? 0, label, to: places[to] ?? 0 });
  return [...parts.values()];
}

/** One group for those that have the same operations on other resources. */
function countShapes(graphs: readonly Graph[], names: readonly string[]): readonly OperationGroup[] {
  const shapes = new Map<string, Graph[]>();
  for (const graph of graphs) {
    const ofNodes = graph.nodes.map((members) => `${members.length > 1 ? "many " : ""}${names[members[0] ?? 0] ?? ""}`);
    const ofArrows = graph.arrows.map(({ from, label, to }) => `${from} ${to} ${label}`).toSorted();
    const key = [...ofNodes, ...ofArrows].join("\n");
    const list = shapes.get(key);
    if (list === undefined) shapes.set(key, [graph]);
    else list.push(graph);
  }
  return [...shapes.values()].flatMap((list): readonly OperationGroup[] => {
    const [first] = list;
    if (first === undefined || list.length < fewestMerged)
      return list.map((graph) => ({ ...graph, alike: 0, operationsAlike: 0 }));
    const operationsAlike = list.slice(1).reduce((sum, graph) => sum + sizeOf(graph), 0);
    return [{ ...first, alike: list.length - 1, operationsAlike }];
  });
}

/** How many operations a graph has. */
export function sizeOf({ nodes }: Pick<Graph, "nodes">): number {
  return nodes.reduce((sum, members) => sum + members.length, 0);
}

/** What is released and taken comes first, then larger groups. */
function byInterest(a: OperationGroup, b: OperationGroup): number {
  const isUnusual = ({ arrows }: OperationGroup): number =>
    Number(arrows.some(({ label }) => label === "free" || label === "late"));
  return isUnusual(b) - isUnusual(a) || sizeOf(b) - sizeOf(a);
}

/** The longest way through a group: its operations one after the other. Empty when they wait for each other. */
export function longestChain({ arrows, nodes }: Graph): Graph {
  const { next, order } = sortByArrows(nodes.length, arrows);
  const best = new Map<number, { readonly length: number; readonly by: Arrow }>();
  let end = order[0];
  for (const node of order) {
    const length = best.get(node)?.length ?? 0;
    if (length > (best.get(end ?? -1)?.length ?? 0)) end = node;
    for (const arrow of next[node] ?? [])
      if ((best.get(arrow.to)?.length ?? 0) <= length) best.set(arrow.to, { length: length + 1, by: arrow });
  }
  if (end === undefined || order.length < nodes.length) return { nodes: [], arrows: [] };
  const way: Arrow[] = [];
  for (let by = best.get(end)?.by; by !== undefined; by = best.get(by.from)?.by) way.unshift(by);
  const chain = [...way.map(({ from }) => from), end];
  return {
    nodes: chain.map((node) => nodes[node] ?? []),
    arrows: way.map(({ label }, index) => ({ from: index, to: index + 1, label })),
  };
}
