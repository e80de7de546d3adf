import { operationWords } from "../plan/operation-words.js";
import type { Operation, Plan, WaitReason } from "../plan/plan-format.js";
import { visibleLine } from "../text/visible.js";
import { type Arrow, layoutDiagram, nodeHeight, nodeWidth, reduceArrows } from "./diagram-layout.js";
import { escapeHtml } from "./escape.js";
import { reasonOfOrder } from "./plan-sections.js";

/** More operations than this are only listed in a table. */
const maxDrawnOperations = 200;

const waitReasonLabels = {
  same: "same resource",
  use: "uses a new resource",
  unuse: "after the last reference is removed",
  free: "needs what the other releases",
  late: "as late as possible",
  last: "deletes come last",
} as const satisfies { readonly [R in WaitReason]: string };

/**
 * The order of operations as a drawing, from left to right, without the arrows that others imply. Null when there is
 * nothing to draw: too many operations, or none that waits.
 */
export function operationsSvg(plan: Plan): string | null {
  const { operations } = plan;
  if (operations.length > maxDrawnOperations) return null;
  const numbers = new Map(operations.map((operation, index) => [operation.id, index]));
  const waits = operations.flatMap((operation, to) =>
    operation.after.flatMap((id): readonly Arrow[] => {
      const from = numbers.get(id);
      return from === undefined || from === to ? [] : [{ from, to, label: operation.waits[id] ?? "same" }];
    }),
  );
  const reduced = reduceArrows(operations.length, waits);
  if (reduced === null || reduced.arrows.length === 0) return null;
  const layout = layoutDiagram(reduced.order, reduced.arrows);
  const arrows = layout.routes.map(({ arrow, points }) => path(arrow, points, operations));
  const words = operationWords(plan);
  const nodes = [...layout.nodes].map(([index, at]) => {
    const operation = operations[index];
    return operation === undefined ? "" : node(operation, words.get(operation.id)?.does ?? operation.kind, at);
  });
  const alone = operations.length - layout.nodes.size;
  const used = new Set(reduced.arrows.map((arrow) => arrow.label));
  const svg = `<svg width="${layout.width}" height="${layout.height}" viewBox="0 0 ${layout.width} ${layout.height}" role="img" aria-label="Dependencies between operations; the table below lists them">
<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0L8 4L0 8Z"/></marker></defs>
${arrows.join("\n")}
${nodes.join("\n")}
</svg>`;
  return `<div class="graph" tabindex="0" role="region" aria-label="Order of operations">${svg}</div>${legend(used, alone)}`;
}

function node(operation: Operation, does: string, { x, y }: { readonly x: number; readonly y: number }): string {
  const temporary = operation.temporary === undefined ? "" : " temporary";
  const reason = reasonOfOrder(operation);
  const why = reason === null ? "" : `\n${reason}`;
  const title = `${operation.id} ${operation.method} ${operation.path}\n${operation.address}${why}`;
  return `<g class="${operation.kind}${temporary}" transform="translate(${x} ${y})"><title>${escapeHtml(title)}</title><rect width="${nodeWidth}" height="${nodeHeight}" rx="8"/><text class="small" x="10" y="17">${escapeHtml(shorten(`${operation.id} · ${does}${temporary}`, 32))}</text><text x="10" y="34">${escapeHtml(shorten(operation.address, 27))}</text></g>`;
}

function path(arrow: Arrow, points: readonly (readonly [number, number])[], operations: readonly Operation[]): string {
  let d = "";
  for (const [index, [x, y]] of points.entries()) {
    const previous = points[index - 1];
    if (previous === undefined) d = `M${x} ${y}`;
    else if (previous[1] === y) d += `L${x} ${y}`;
    else {
      const half = Math.round((previous[0] + x) / 2);
      d += `C${half} ${previous[1]} ${half} ${y} ${x} ${y}`;
    }
  }
  const title = `${operations[arrow.to]?.id ?? ""} waits for ${operations[arrow.from]?.id ?? ""}: ${labelOfWait(arrow.label)}`;
  return `<path class="${escapeHtml(arrow.label)}" d="${d}" marker-end="url(#tip)"><title>${escapeHtml(title)}</title></path>`;
}

function legend(used: ReadonlySet<string>, alone: number): string {
  const items = Object.keys(waitReasonLabels)
    .filter((reason) => used.has(reason))
    .map(
      (reason) =>
        `<li><svg width="28" height="8" aria-hidden="true"><path class="key ${reason}" d="M0 4H28"/></svg>${labelOfWait(reason)}</li>`,
    );
  const rest =
    alone === 0 ? "" : `<li>${alone} more ${alone === 1 ? "operation is" : "operations are"} independent</li>`;
  return `<ul class="legend">${items.join("")}${rest}</ul>`;
}

function labelOfWait(reason: string): string {
  return Object.entries(waitReasonLabels).find(([name]) => name === reason)?.[1] ?? escapeHtml(reason);
}

function shorten(text: string, length: number): string {
  const characters = [...visibleLine(text)];
  return characters.length <= length ? characters.join("") : `${characters.slice(0, length - 1).join("")}…`;
}
