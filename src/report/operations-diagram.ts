import { kindOf, nameOf } from "../kinds/names.js";
import { operationWords } from "../plan/operation-words.js";
import type { Operation, Plan, WaitReason } from "../plan/plan-format.js";
import { count, cut, listFew } from "../text/layout.js";
import { visibleLine } from "../text/visible.js";
import {
  type Arrow,
  type DiagramLayout,
  type Direction,
  layoutChain,
  layoutDiagram,
  nodeHeight,
  nodeWidth,
  reduceArrows,
  rowOfChain,
} from "./diagram-layout.js";
import { escapeHtml } from "./escape.js";
import {
  type GroupedOperations,
  type OperationGroup,
  groupOperations,
  longestChain,
  sizeOf,
} from "./operation-groups.js";
import { reasonOfOrder } from "./plan-sections.js";

const waitReasonLabels = {
  same: "same resource",
  use: "uses what the other creates",
  unuse: "waits until nothing refers to it",
  free: "takes what the other releases",
  late: "as late as possible",
  last: "comes last",
} as const satisfies { readonly [R in WaitReason]: string };

/** The picture has no more nodes than this in all, and is no wider than this, in pixels: it must be read without scrolling. */
const mostNodes = 60;
const mostWidth = 1010;

/** A chain has no more operations than this in the picture. */
const longestDrawnChain = 20;

/**
 * Which operations depend on which, as pictures: one for each group of operations that depend on each other, the most
 * telling first, and the same as a list for those who don't see them. Equal ones are drawn once. What comes last, what is
 * independent and what is not drawn is said below. Empty when no operation waits for another.
 */
export function operationsHtml(plan: Plan): string {
  const { operations } = plan;
  const words = operationWords(plan);
  const does = (index: number): string => {
    const operation = operations[index];
    return operation === undefined ? "" : (words.get(operation.id)?.does ?? operation.kind);
  };
  const grouped = groupOperations(operations, does);
  if (grouped === null) return note("There are too many operations to draw: the table lists them.");
  const used = new Set<string>();
  const figures: string[] = [];
  const left: OperationGroup[] = [];
  let room: number = mostNodes;
  for (const group of grouped.groups) {
    const drawing = room < 2 ? null : drawingOf(group, room);
    if (drawing === null) {
      left.push(group);
      continue;
    }
    room -= drawing.layout.nodes.size;
    for (const { arrow } of drawing.layout.routes) used.add(arrow.label);
    figures.push(figure(group, drawing, operations, does));
  }
  const notes = notesOf(grouped, left, operations, does);
  if (figures.length === 0) return notes;
  return `<div class="graph">${figures.join("\n")}</div>${legend(used)}${notes}`;
}

/** What is drawn of a group. */
interface Drawing {
  readonly nodes: OperationGroup["nodes"];
  readonly layout: DiagramLayout;
  /** Whether it is only the longest chain of the group. */
  readonly isPart: boolean;
}

/** Larger groups are not tried: only their longest chain can be drawn. */
const largestTried = 60;

function drawingOf(group: OperationGroup, room: number): Drawing | null {
  const chain = longestChain(group);
  const isLine = chain.nodes.length === group.nodes.length && chain.nodes.length > rowOfChain;
  if (!isLine && group.nodes.length <= Math.min(largestTried, room)) {
    const layout = layoutOf(group);
    if (layout !== null) return { nodes: group.nodes, layout, isPart: false };
  }
  const length = Math.min(room, longestDrawnChain, chain.nodes.length);
  const nodes = chain.nodes.slice(0, length);
  if (length < 2) return null;
  return { nodes, layout: layoutChain(chain.arrows.slice(0, length - 1)), isPart: length < group.nodes.length };
}

/** The layout that is not too wide; time goes to the right where there is room for that. */
function layoutOf({ arrows, nodes }: Pick<OperationGroup, "nodes" | "arrows">): DiagramLayout | null {
  const reduced = reduceArrows(nodes.length, arrows);
  if (reduced === null) return null;
  const fits = (layout: DiagramLayout): DiagramLayout | null => (layout.width <= mostWidth ? layout : null);
  return (
    fits(layoutDiagram(reduced.order, reduced.arrows, "right")) ??
    fits(layoutDiagram(reduced.order, reduced.arrows, "down"))
  );
}

function figure(
  group: OperationGroup,
  { isPart, layout, nodes }: Drawing,
  operations: readonly Operation[],
  does: (index: number) => string,
): string {
  const { height, width } = layout;
  const labelOf = (node: number): NodeLabel => nodeLabel(nodes[node] ?? [], operations, does);
  const before = new Map<number, Arrow[]>();
  for (const { arrow } of layout.routes) before.set(arrow.to, [...(before.get(arrow.to) ?? []), arrow]);
  const arrows = layout.routes.map(({ arrow, points }) => path(arrow, points, layout));
  const boxes = [...layout.nodes].map(([index, at]) => box(nodes[index] ?? [], labelOf(index), at, operations));
  const lines = [...layout.nodes.keys()].map((index) => {
    const waits = (before.get(index) ?? []).map(
      ({ from, label }) => `after ${labelOf(from).ids}: ${labelOfWait(label)}`,
    );
    return `<li>${escapeHtml([labelOf(index).title, ...waits].join("; "))}</li>`;
  });
  const caption = captionOf(group, nodes, isPart);
  return `<figure><svg width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" aria-hidden="true">
${arrows.join("\n")}
${boxes.join("\n")}
</svg><ol class="words">${lines.join("")}</ol>${caption === "" ? "" : `<figcaption>${escapeHtml(caption)}</figcaption>`}</figure>`;
}

function captionOf(group: OperationGroup, drawn: OperationGroup["nodes"], isPart: boolean): string {
  const { alike, operationsAlike } = group;
  const part = isPart
    ? `The longest chain, or its beginning, of ${count(sizeOf(group), "operation")} that depend on each other: ${sizeOf({ nodes: drawn })} are shown.`
    : "";
  const others = alike === 0 ? "" : `${alike} more groups like this, with ${operationsAlike} operations.`;
  return [part, others].filter((text) => text !== "").join(" ");
}

/** What is written in a node and about it. */
interface NodeLabel {
  readonly ids: string;
  readonly head: string;
  readonly name: string;
  readonly kind: string;
  readonly title: string;
}

function nodeLabel(
  members: readonly number[],
  operations: readonly Operation[],
  does: (index: number) => string,
): NodeLabel {
  const all = members.flatMap((index) => operations[index] ?? []);
  const [first] = all;
  if (first === undefined) return { ids: "", head: "", name: "", kind: "", title: "" };
  const what = `${does(members[0] ?? 0)}${first.temporary === undefined ? "" : ", first part"}`;
  const kind = kindOf(first.address);
  const ids = listFew(
    all.map(({ id }) => id),
    3,
  );
  const names = listFew(
    all.map(({ address }) => nameOf(address)),
    3,
  );
  const addresses = listFew(
    all.map(({ address }) => cut(address, 200)),
    3,
  );
  return {
    ids,
    head: all.length === 1 ? `${first.id} · ${what}` : `${all.length} × ${what}`,
    name: names,
    kind,
    title: all.length === 1 ? `${first.id}: ${what} ${addresses}` : `${ids}: ${what} ${addresses}`,
  };
}

function box(
  members: readonly number[],
  { head, kind, name, title }: NodeLabel,
  { x, y }: { readonly x: number; readonly y: number },
  operations: readonly Operation[],
): string {
  const first = operations[members[0] ?? 0];
  if (first === undefined) return "";
  const reason = members.length === 1 ? reasonOfOrder(first) : null;
  const request = members.length === 1 ? `\n${first.method} ${cut(first.path, 300)}` : "";
  const why = reason === null ? "" : `\n${cut(reason, 500)}`;
  const behind =
    members.length === 1
      ? ""
      : `<rect class="behind" x="4" y="4" width="${nodeWidth - 4}" height="${nodeHeight - 4}" rx="8"/>`;
  const size = members.length === 1 ? [nodeWidth, nodeHeight] : [nodeWidth - 4, nodeHeight - 4];
  const temporary = first.temporary === undefined ? "" : " temporary";
  return `<g class="${first.kind}${temporary}" transform="translate(${x} ${y})"><title>${escapeHtml(`${title}${request}${why}`)}</title>${behind}<rect width="${size[0]}" height="${size[1]}" rx="8"/><text class="small" x="10" y="17">${escapeHtml(shorten(head, 34))}</text><text x="10" y="33">${escapeHtml(shorten(name, 27))}</text><text class="small" x="10" y="47">${escapeHtml(shorten(kind, 34))}</text></g>`;
}

function path({ label }: Arrow, points: readonly (readonly [number, number])[], { direction }: DiagramLayout): string {
  let d = "";
  const along = direction === "right" ? 0 : 1;
  for (const [index, point] of points.entries()) {
    const previous = points[index - 1];
    const [x, y] = point;
    if (previous === undefined) d = `M${x} ${y}`;
    else if (previous[0] === x || previous[1] === y) d += `L${x} ${y}`;
    else {
      const half = Math.round(((previous[along] ?? 0) + (point[along] ?? 0)) / 2);
      const bends =
        direction === "right" ? `${half} ${previous[1]} ${half} ${y}` : `${previous[0]} ${half} ${x} ${half}`;
      d += `C${bends} ${x} ${y}`;
    }
  }
  const tip = tipOf(points, direction);
  return `<path class="${escapeHtml(label)}" d="${d}"/><path class="tip ${escapeHtml(label)}" d="${tip}"/>`;
}

/** The point of an arrow, in the direction of its end. */
function tipOf(points: readonly (readonly [number, number])[], direction: Direction): string {
  const [x, y] = points.at(-1) ?? [0, 0];
  const [fromX, fromY] = points.at(-2) ?? [x, y];
  if (fromX === x || (fromY !== y && direction === "down")) return `M${x} ${y}l-4 -8h8z`;
  return fromX > x ? `M${x} ${y}l8 -4v8z` : `M${x} ${y}l-8 -4v8z`;
}

function legend(used: ReadonlySet<string>): string {
  const items = Object.keys(waitReasonLabels)
    .filter((reason) => used.has(reason))
    .map(
      (reason) =>
        `<li><svg width="28" height="8" aria-hidden="true"><path class="key ${reason}" d="M0 4H28"/></svg>${labelOfWait(reason)}</li>`,
    );
  return `<ul class="legend" aria-hidden="true">${items.join("")}</ul>`;
}

function labelOfWait(reason: string): string {
  return Object.entries(waitReasonLabels).find(([name]) => name === reason)?.[1] ?? visibleLine(reason);
}

function notesOf(
  { independent, last }: GroupedOperations,
  left: readonly OperationGroup[],
  operations: readonly Operation[],
  does: (index: number) => string,
): string {
  const named = last.map((index) => nodeLabel([index], operations, does).title);
  const undrawn = left.reduce((sum, group) => sum + sizeOf(group) + group.operationsAlike, 0);
  return [
    ...(undrawn === 0
      ? []
      : [note(`${count(undrawn, "more operation")} that depend on each other are not drawn: the table lists them.`)]),
    ...(last.length === 0
      ? []
      : [note(`Last, when everything else has ended: ${count(last.length, "operation")} (${listFew(named, 4)}).`)]),
    ...(independent === 0 ? [] : [note(independentNote(independent, operations.length))]),
  ].join("");
}

function independentNote(independent: number, all: number): string {
  if (independent === all) return "No operation depends on another: they run in parallel.";
  return `${count(independent, "operation")} ${independent === 1 ? "depends" : "depend"} on no other.`;
}

function note(text: string): string {
  return `<p class="soft">${escapeHtml(text)}</p>`;
}

function shorten(text: string, length: number): string {
  const characters = [...visibleLine(text)];
  return characters.length <= length ? characters.join("") : `${characters.slice(0, length - 1).join("")}…`;
}
