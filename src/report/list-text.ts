import { count } from "../core/text.js";
import { guardRunner, visibleLine } from "../core/visible.js";
import { type Inventory, type InventoryResource, identityTexts } from "../plan/inventory.js";
import { alignColumns, type Paint, type Palette, palette } from "./styles.js";

const headings = ["RESOURCE", "ID", "OWNER", "IDENTIFIED BY", "REFERRED TO BY"];

const soonMs = 30 * 24 * 60 * 60 * 1000;

export function renderListText(
  inventory: Inventory,
  { color, now }: { readonly color: boolean; readonly now: number },
): string {
  const paint = palette(color);
  const { hiddenReferrers, resources } = inventory;
  const rows = [headings, ...resources.map((resource) => cellsOf(resource, now).map(visibleLine))];
  const paints = [headings.map(() => paint.bold), ...resources.map((resource) => paintsOf(resource, now, paint))];
  const lines = [
    ...(resources.length === 0 ? [] : [...alignColumns(rows, paints), ""]),
    paint.bold(summaryText(inventory)),
    // An empty last column must not be taken for "unused".
    ...Object.entries(hiddenReferrers).map(
      ([kind, by]) => `${kind}: ${by} may refer to it too; the API can't list them.`,
    ),
  ];
  return guardRunner(`${lines.join("\n")}\n`);
}

function cellsOf(resource: InventoryResource, now: number): readonly string[] {
  const { address, description, expires, id, identity, kind, owner: marked, ownership, referredToBy } = resource;
  const owner = ownership === "this" ? "this stack" : marked === null ? "none" : `${marked.stack} (${marked.name})`;
  const isPast = expires !== null && Date.parse(expires) <= now;
  const ending = expires === null ? [] : [`${isPast ? "expired" : "expires"} ${expires.slice(0, 10)}`];
  const known = [...identityTexts(identity), ...ending].join(", ");
  return [address ?? kind, id, owner, known === "" ? (description ?? "") : known, referredToBy.join(", ")];
}

/** Nobody's resources, and what expires, are what people look for. */
function paintsOf({ expires, ownership }: InventoryResource, now: number, paint: Palette): readonly Paint[] {
  const left = expires === null ? Number.POSITIVE_INFINITY : Date.parse(expires) - now;
  const tone = ownership === "none" ? paint.change : ownership === "other" ? paint.dim : String;
  return [paint.bold, paint.dim, tone, left <= 0 ? paint.alarm : left <= soonMs ? paint.change : String, paint.dim];
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
