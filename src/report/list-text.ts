import { type Inventory, type InventoryResource, identityTexts } from "../plan/inventory.js";
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

const headings = ["RESOURCE", "ID", "OWNER", "IDENTIFIED BY", "REFERRED TO BY"];

const [owner, identifiedBy, referredToBy] = [2, 3, 4];

/** Spaces between two columns. */
const gap = 2;

/** Without a terminal, a column is aligned up to this width. */
const mostAligned = 60;

/** Columns give way to this width at least, in this order; the others never do: nobody could type what they name. */
const yielding: readonly (readonly [column: number, least: number])[] = [
  [referredToBy, 14],
  [owner, 10],
  [identifiedBy, 24],
];

/** A certificate that expires within this time is marked: 30 days. */
const soonMs = 30 * 24 * 60 * 60 * 1000;

/**
 * What is live, a row for each resource, in columns that fit the terminal; where it is too narrow for them, a few lines for
 * each. What identifies a resource is never cut. The counts at the end.
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
      : [
          ...rowText(headings, layout).map(paint.bold),
          ...rows.flatMap(({ cells, paints }) => rowText(cells, layout, paints)),
        ];
  const lines = rows.length === 0 ? [] : [...table, ""];
  const broken = (text: string): readonly string[] => wrap(text, width ?? Number.POSITIVE_INFINITY, "", "");
  const counts = broken(summaryText(inventory)).map((line) => paint.bold(line));
  return guardRunner(`${[...lines, ...counts, ...hiddenText(inventory).flatMap(broken)].join("\n")}\n`);
}

function cellsOf(resource: InventoryResource, now: number): readonly string[] {
  const { address, id, kind, owner: marked, ownership, referredToBy: referrers } = resource;
  const owned = ownership === "this" ? "this stack" : marked === null ? "none" : `${marked.stack} (${marked.name})`;
  return [address ?? kind, id, owned, identityText(resource, now), referrers.join(", ")].map(visibleLine);
}

/** `a.example:443, b.example:443`, `www.example.com, expires 2026-12-01`; the description where nothing else is known. */
function identityText({ description, expires, identity }: InventoryResource, now: number): string {
  const ending = expires === null ? [] : [`${isPast(expires, now) ? "expired" : "expires"} ${expires.slice(0, 10)}`];
  const known = [...identityTexts(identity), ...ending];
  return known.length === 0 ? (description ?? "") : known.join(", ");
}

function isPast(time: string, now: number): boolean {
  return Date.parse(time) <= now;
}

/** Nobody's resources, and what expires, are what people look for. */
function paintsOf({ expires, ownership }: InventoryResource, now: number, paint: Palette): readonly Paint[] {
  const plain: Paint = (text) => text;
  const left = expires === null ? Number.POSITIVE_INFINITY : Date.parse(expires) - now;
  const tone = ownership === "none" ? paint.change : ownership === "other" ? paint.dim : plain;
  return [paint.bold, paint.dim, tone, left <= 0 ? paint.alarm : left <= soonMs ? paint.change : plain, paint.dim];
}

interface ColumnLayout {
  readonly widths: readonly number[];
  /** Whether a cell that is wider than its column is broken or cut. */
  readonly fits: boolean;
}

/**
 * Columns as wide as their widest cells; on a terminal some give way until a row fits. Null when that is not enough.
 */
function layoutOf(rows: readonly (readonly string[])[], width: number | undefined): ColumnLayout | null {
  const widest = (column: number, split: (cell: string) => readonly string[]): number =>
    rows.reduce((most, cells) => Math.max(most, ...split(cells[column] ?? "").map((text) => [...text].length)), 0);
  const widths = headings.map((_, column) => widest(column, (cell) => [cell]));
  if (width === undefined) return { widths: widths.map((each) => Math.min(each, mostAligned)), fits: false };
  let excess = widths.reduce((total, each) => total + each, gap * (headings.length - 1)) - width;
  for (const [column, least] of yielding) {
    // What identifies a resource is broken at blanks.
    const needed = column === identifiedBy ? widest(column, (cell) => cell.split(" ")) : 0;
    const given = Math.min(Math.max(0, excess), Math.max(0, (widths[column] ?? 0) - Math.max(least, needed)));
    widths[column] = (widths[column] ?? 0) - given;
    excess -= given;
  }
  return excess > 0 ? null : { widths, fits: true };
}

/** A row, on several lines where what identifies the resource takes them. */
function rowText(
  cells: readonly string[],
  { fits, widths }: ColumnLayout,
  paints: readonly Paint[] = [],
): readonly string[] {
  const room = fits ? (widths[identifiedBy] ?? 0) : Number.POSITIVE_INFINITY;
  return wrap(cells[identifiedBy] ?? "", room, "", "").map((identity, index) => {
    const line =
      index === 0 ? cells.with(identifiedBy, identity) : cells.map((_, at) => (at === identifiedBy ? identity : ""));
    const last = line.findLastIndex((cell) => cell !== "");
    const shown = line.slice(0, last + 1).map((cell, column) => {
      const width = widths[column] ?? 0;
      const characters = [...cell];
      const text = fits && characters.length > width ? `${characters.slice(0, width - 1).join("")}…` : cell;
      const painted = paints[column]?.(text) ?? text;
      return column === last ? painted : painted + " ".repeat(Math.max(0, width - [...text].length) + gap);
    });
    return shown.join("");
  });
}

/** A resource on lines of its own, broken at blanks. */
function narrowRow(cells: readonly string[], width: number, paints: readonly Paint[]): readonly string[] {
  const [resource = "", id = "", ...others] = cells;
  const lines = others.flatMap((cell, at) => {
    if (cell === "") return [];
    const broken = wrap(`${(headings[at + 2] ?? "").toLowerCase()}: ${cell}`, width, "  ", "    ");
    return broken.map((line) => paints[at + 2]?.(line) ?? line);
  });
  const named = wrap(`${resource} ${id}`, width, "", "  ");
  return [...named.map((line) => paints[0]?.(line) ?? line), ...lines];
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
