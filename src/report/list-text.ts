import type { Json } from "../json.js";
import type { Inventory, InventoryResource } from "../plan/inventory.js";
import { count } from "../text/layout.js";
import { type Paint, type Palette, palette } from "../text/palette.js";
import { guardRunner, visibleLine } from "../text/visible.js";

/** `width` in columns; absent = no terminal, and nothing is cut. */
export interface ListTextOptions {
  readonly color: boolean;
  readonly width?: number;
  /** Milliseconds since 1970: what expires soon is marked. */
  readonly now: number;
}

const headings = ["RESOURCE", "OWNER", "IDENTIFIED BY", "REFERRED TO BY"];

/** Spaces between two columns. */
const gap = 2;

/** A column is never cut to less than this, and is aligned up to that much without a terminal. */
const columnLimits = { least: 12, mostAligned: 60 };

/** A certificate that expires within this time is marked: 30 days. */
const soonMs = 30 * 24 * 60 * 60 * 1000;

/** What is live, one line for each resource, in columns that fit the terminal; the counts at the end. */
export function renderListText(inventory: Inventory, options: ListTextOptions): string {
  const { resources } = inventory;
  const { now, width } = options;
  const paint = palette(options.color);
  const rows = resources.map((resource) => ({ cells: cellsOf(resource, now), paints: paintsOf(resource, now, paint) }));
  const layout = layoutOf([headings, ...rows.map(({ cells }) => cells)], width);
  const lines =
    rows.length === 0
      ? []
      : [paint.bold(rowText(headings, layout)), ...rows.map(({ cells, paints }) => rowText(cells, layout, paints)), ""];
  return guardRunner(`${[...lines, paint.bold(summaryText(inventory))].join("\n")}\n`);
}

function cellsOf(resource: InventoryResource, now: number): readonly string[] {
  const { address, id, kind, owner, ownership, referredToBy } = resource;
  const owned = ownership === "this" ? "this stack" : owner === null ? "none" : `${owner.stack} (${owner.name})`;
  return [address ?? `${kind}/${id}`, owned, identityText(resource, now), referredToBy.join(", ")].map(visibleLine);
}

/** `a.example:443, b.example:443`, `www.example.com, expires 2026-12-01`; the description where nothing else is known. */
function identityText({ description, expires, identity }: InventoryResource, now: number): string {
  const values = Object.values(identity)
    .map(valueText)
    .filter((text) => text !== "");
  const ending = expires === null ? [] : [`${isPast(expires, now) ? "expired" : "expires"} ${expires.slice(0, 10)}`];
  const known = [...values, ...ending];
  return known.length === 0 ? (description ?? "") : known.join(", ");
}

function valueText(value: Json): string {
  if (Array.isArray(value)) return value.map((item: Json) => valueText(item)).join(", ");
  return typeof value === "string" ? value : JSON.stringify(value);
}

function isPast(time: string, now: number): boolean {
  return Date.parse(time) <= now;
}

/** Nobody's resources, and what expires, are what people look for. */
function paintsOf({ expires, ownership }: InventoryResource, now: number, paint: Palette): readonly Paint[] {
  const plain: Paint = (text) => text;
  const left = expires === null ? Number.POSITIVE_INFINITY : Date.parse(expires) - now;
  const owner = ownership === "none" ? paint.change : ownership === "other" ? paint.dim : plain;
  return [paint.bold, owner, left <= 0 ? paint.alarm : left <= soonMs ? paint.change : plain, paint.dim];
}

interface ColumnLayout {
  readonly widths: readonly number[];
  /** Whether a cell that is wider than its column is cut. */
  readonly cuts: boolean;
}

/** Columns as wide as their widest cells; on a terminal the widest columns give way until a row fits. */
function layoutOf(rows: readonly (readonly string[])[], width: number | undefined): ColumnLayout {
  const widths = headings.map((_, column) =>
    rows.reduce((most, cells) => Math.max(most, [...(cells[column] ?? "")].length), 0),
  );
  if (width === undefined)
    return { widths: widths.map((each) => Math.min(each, columnLimits.mostAligned)), cuts: false };
  const room = width - gap * (headings.length - 1);
  for (let excess = sum(widths) - room; excess > 0; excess -= 1) {
    const widest = Math.max(...widths);
    if (widest <= columnLimits.least) break;
    widths[widths.lastIndexOf(widest)] = widest - 1;
  }
  return { widths, cuts: true };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

function rowText(cells: readonly string[], { widths, cuts }: ColumnLayout, paints: readonly Paint[] = []): string {
  const last = cells.findLastIndex((cell) => cell !== "");
  const shown = cells.slice(0, last + 1).map((cell, column) => {
    const width = widths[column] ?? 0;
    const characters = [...cell];
    const text = cuts && characters.length > width ? `${characters.slice(0, width - 1).join("")}…` : cell;
    const painted = paints[column]?.(text) ?? text;
    return column === last ? painted : painted + " ".repeat(Math.max(0, width - [...text].length) + gap);
  });
  return shown.join("");
}

/** `12 resources: 5 of this stack, 3 of other stacks, 4 of no stack.` */
function summaryText({ resources, stack, summary }: Inventory): string {
  if (resources.length === 0) return "No resources.";
  const parts = [
    ...(stack === null ? [] : [`${summary.this} of ${visibleLine(stack)}`]),
    `${summary.other} of ${stack === null ? "stacks" : "other stacks"}`,
    `${summary.none} of no stack`,
  ];
  return `${count(resources.length, "resource")}: ${parts.join(", ")}.`;
}
