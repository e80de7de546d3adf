import type { Json } from "../json.js";
import type { Inventory, InventoryResource } from "../plan/inventory.js";
import { count, wrap } from "../text/layout.js";
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

/** A column is never cut to less than its heading, and is aligned up to that much without a terminal. */
const columnLimits = { least: 14, mostAligned: 60 };

/** A certificate that expires within this time is marked: 30 days. */
const soonMs = 30 * 24 * 60 * 60 * 1000;

/**
 * What is live, one line for each resource, in columns that fit the terminal; where it is too narrow for them, a few lines
 * for each. The counts at the end.
 */
export function renderListText(inventory: Inventory, options: ListTextOptions): string {
  const { resources } = inventory;
  const { now, width } = options;
  const paint = palette(options.color);
  const rows = resources.map((resource) => ({ cells: cellsOf(resource, now), paints: paintsOf(resource, now, paint) }));
  const layout = layoutOf([headings, ...rows.map(({ cells }) => cells)], width);
  const table =
    layout === null
      ? rows.flatMap(({ cells, paints }) => narrowRow(cells, width ?? 0, paints))
      : [paint.bold(rowText(headings, layout)), ...rows.map(({ cells, paints }) => rowText(cells, layout, paints))];
  const lines = rows.length === 0 ? [] : [...table, ""];
  const broken = (text: string): readonly string[] => wrap(text, width ?? Number.POSITIVE_INFINITY, "", "");
  const counts = broken(summaryText(inventory)).map((line) => paint.bold(line));
  return guardRunner(`${[...lines, ...counts, ...hiddenText(inventory).flatMap(broken)].join("\n")}\n`);
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

/**
 * Columns as wide as their widest cells; on a terminal the widest columns give way until a row fits. The first never does:
 * nobody could type what it names. Null when that is not enough.
 */
function layoutOf(rows: readonly (readonly string[])[], width: number | undefined): ColumnLayout | null {
  const widths = headings.map((_, column) =>
    rows.reduce((most, cells) => Math.max(most, [...(cells[column] ?? "")].length), 0),
  );
  if (width === undefined)
    return { widths: widths.map((each) => Math.min(each, columnLimits.mostAligned)), cuts: false };
  const room = width - gap * (headings.length - 1);
  for (let excess = sum(widths) - room; excess > 0; excess -= 1) {
    const widest = Math.max(...widths.slice(1));
    if (widest <= columnLimits.least) return null;
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

/** A resource on lines of its own, broken at blanks. */
function narrowRow(cells: readonly string[], width: number, paints: readonly Paint[]): readonly string[] {
  const [resource = "", ...others] = cells;
  const lines = others.flatMap((cell, at) => {
    if (cell === "") return [];
    const broken = wrap(`${(headings[at + 1] ?? "").toLowerCase()}: ${cell}`, width, "  ", "    ");
    return broken.map((line) => paints[at + 1]?.(line) ?? line);
  });
  return [paints[0]?.(resource) ?? resource, ...lines];
}

/** An empty last column must not be taken for "unused". */
function hiddenText({ hiddenReferrers }: Inventory): readonly string[] {
  return Object.entries(hiddenReferrers).map(
    ([kind, by]) => `${kind}: ${by} may refer to it too; the API can't list them.`,
  );
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
