import { type Inventory, type InventoryResource, identityTexts } from "../plan/inventory.js";
import { count, wrap } from "../core/text.js";
import { guardRunner, visibleLine } from "../core/visible.js";
import { type Paint, type Palette, palette } from "./styles.js";

const headings = ["RESOURCE", "ID", "OWNER", "IDENTIFIED BY", "REFERRED TO BY"];

/** Spaces between two columns. */
const gap = 2;

/** Without a terminal, a column is aligned up to this width; on one, the last column is cut to this width at least. */
const mostAligned = 60;
const leastOfLast = 14;

/** A certificate that expires within this time is marked: 30 days. */
const soonMs = 30 * 24 * 60 * 60 * 1000;

/**
 * What is live, a row for each resource; on a terminal that is too narrow for them, a few lines for each. The counts at the
 * end.
 * @param options `width` in columns; absent = no terminal, and nothing is cut. `now` in milliseconds since 1970
 */
export function renderListText(
  inventory: Inventory,
  { color, now, width = Infinity }: { readonly color: boolean; readonly width?: number; readonly now: number },
): string {
  const paint = palette(color);
  const rows = inventory.resources.map((resource) => ({
    cells: cellsOf(resource, now),
    paints: paintsOf(resource, now, paint),
  }));
  const all = [headings, ...rows.map(({ cells }) => cells)];
  const widest = headings.map((_, at) => Math.max(...all.map((cells) => [...(cells[at] ?? "")].length)));
  const widths = width === Infinity ? widest.map((each) => Math.min(each, mostAligned)) : widest;
  const last = width - widths.slice(0, -1).reduce((sum, each) => sum + each + gap, 0);
  const table =
    last < leastOfLast
      ? rows.flatMap(({ cells, paints }) => narrowRow(cells, width, paints))
      : [
          rowText(
            headings,
            widths,
            last,
            headings.map(() => paint.bold),
          ),
          ...rows.map(({ cells, paints }) => rowText(cells, widths, last, paints)),
        ];
  const lines = [
    ...(rows.length === 0 ? [] : [...table, ""]),
    ...wrap(summaryText(inventory), width, "", "").map((line) => paint.bold(line)),
    ...hiddenText(inventory).flatMap((text) => wrap(text, width, "", "")),
  ];
  return guardRunner(`${lines.join("\n")}\n`);
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

/** @param last the room for the last column */
function rowText(cells: readonly string[], widths: readonly number[], last: number, paints: readonly Paint[]): string {
  const end = cells.findLastIndex((cell) => cell !== "");
  const shown = cells.slice(0, end + 1).map((cell, at) => {
    const characters = [...cell];
    const isCut = at === headings.length - 1 && characters.length > last;
    const text = isCut ? `${characters.slice(0, last - 1).join("")}…` : cell;
    const blanks = at === end ? 0 : Math.max(0, (widths[at] ?? 0) - characters.length) + gap;
    return `${paints[at]?.(text) ?? text}${" ".repeat(blanks)}`;
  });
  return shown.join("");
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
