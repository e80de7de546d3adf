import type { Json } from "../core/json.js";
import { count } from "../core/text.js";
import { guardRunner, visibleLine } from "../core/visible.js";
import { type ListedKind, listedKinds } from "../kinds/names.js";
import { kinds } from "../kinds/registry.js";
import type { Live } from "../live/live.js";
import { malformedMarker } from "../plan/guards.js";
import {
  type LiveResource,
  addressOfLive,
  compareText,
  identityTexts,
  indexLive,
  referrersAmong,
} from "../plan/live-index.js";
import type { Warning } from "../plan/plan-format.js";
import { alignColumns, type Palette, palette } from "./styles.js";

const ownerships = ["this", "other", "none"] as const;
type Ownership = (typeof ownerships)[number];

type InventoryResource = Readonly<{
  kind: ListedKind;
  address: string | null;
  id: string;
  ownership: Ownership;
  owner: Readonly<{ stack: string; name: string }> | null;
  description: string | null;
  identity: { readonly [member: string]: Json };
  expires: string | null;
  referredToBy: readonly string[];
}>;

type Inventory = Readonly<{
  format: "edgewise.list/v1";
  stack: string | null;
  baseUrl: string;
  toolVersion: string;
  summary: { readonly [O in Ownership]: number };
  resources: readonly InventoryResource[];
  /** What can't be listed itself. */
  hiddenReferrers: { readonly [K in ListedKind]?: string };
  warnings: readonly Warning[];
}>;

type InventoryOptions = Pick<Inventory, "stack" | "baseUrl" | "toolVersion"> &
  Readonly<{
    previousStacks: readonly string[];
    kinds: readonly ListedKind[];
    ownership: Ownership | null;
  }>;

export function inventoryOf(live: Live, options: InventoryOptions): Inventory {
  const { stack, baseUrl, toolVersion, previousStacks, ownership } = options;
  // No marker has an empty stack.
  const index = indexLive({ ...live, modules: [] }, { stack: stack ?? "", previousStacks });
  const referrers = referrersAmong(index.all, index);
  const wanted = options.kinds.length === 0 ? listedKinds : options.kinds;
  const resources = wanted.flatMap((kind) =>
    index.all
      .filter((resource) => resource.kind.kind === kind)
      .map((resource) => shownResource(kind, resource, referrers.get(resource.key) ?? []))
      .filter((shown) => ownership === null || shown.ownership === ownership)
      .sort(byOwner),
  );
  const summary = { this: 0, other: 0, none: 0 };
  for (const shown of resources) summary[shown.ownership] += 1;
  const hiddenReferrers = Object.fromEntries(
    wanted.flatMap((kind) => {
      const hidden = kinds[kind].hiddenReferrers;
      return hidden !== undefined && resources.some((shown) => shown.kind === kind) ? [[kind, hidden]] : [];
    }),
  );
  const warnings: readonly Warning[] = [
    ...live.unreadable.map(({ kind, status }) => ({
      code: "kind-unreadable" as const,
      message: `${kind} can't be listed: the service refuses with ${status}, so none is shown`,
    })),
    ...index.all
      .filter(({ kind, malformed }) => malformed && wanted.some((each) => each === kind.kind))
      .map((one) => ({ code: "malformed-marker" as const, message: malformedMarker, address: addressOfLive(one) })),
  ];
  return { format: "edgewise.list/v1", stack, baseUrl, toolVersion, summary, resources, hiddenReferrers, warnings };
}

function shownResource(
  name: ListedKind,
  resource: LiveResource,
  referrers: readonly { readonly resource: LiveResource }[],
): InventoryResource {
  const { id, kind, marker, owned, wire } = resource;
  const { description } = wire;
  const members = kind.identifiedBy.map((member): [string, Json] => [member, wire[member] ?? null]);
  return {
    kind: name,
    address: owned ? addressOfLive(resource) : null,
    id,
    ownership: owned ? "this" : marker === null ? "none" : "other",
    owner: marker === null ? null : { stack: marker.stack, name: marker.name },
    description: typeof description === "string" && description !== "" ? description : null,
    identity: Object.fromEntries(members.filter(([, value]) => value !== null)),
    expires: kind.expires(wire),
    referredToBy: [...new Set(referrers.map((referrer) => addressOfLive(referrer.resource)))].toSorted(compareText),
  };
}

function byOwner(a: InventoryResource, b: InventoryResource): number {
  return (
    ownerships.indexOf(a.ownership) - ownerships.indexOf(b.ownership) ||
    compareText(a.owner?.stack ?? "", b.owner?.stack ?? "") ||
    compareText(a.owner?.name ?? a.id, b.owner?.name ?? b.id) ||
    compareText(a.id, b.id)
  );
}

const headings = ["RESOURCE", "ID", "OWNER", "IDENTIFIED BY", "REFERRED TO BY"];

const soonMs = 30 * 24 * 60 * 60 * 1000;

export function renderInventory(
  inventory: Inventory,
  { color, now }: Readonly<{ color: boolean; now: number }>,
): string {
  const paint = palette(color);
  const { hiddenReferrers, resources } = inventory;
  const rows = [headings.map(paint.bold), ...resources.map((resource) => cellsOf(resource, now, paint))];
  const lines = [
    ...(resources.length === 0 ? [] : [...alignColumns(rows), ""]),
    paint.bold(summaryText(inventory)),
    // An empty last column must not be taken for "unused".
    ...Object.entries(hiddenReferrers).map(
      ([kind, by]) => `${kind}: ${by} may refer to it too; the API can't list them.`,
    ),
  ];
  return guardRunner(`${lines.join("\n")}\n`);
}

function cellsOf(resource: InventoryResource, now: number, paint: Palette): readonly string[] {
  const { address, description, expires, id, identity, kind, owner: marked, ownership, referredToBy } = resource;
  const owner = ownership === "this" ? "this stack" : marked === null ? "none" : `${marked.stack} (${marked.name})`;
  const left = expires === null ? Number.POSITIVE_INFINITY : Date.parse(expires) - now;
  const ending = expires === null ? [] : [`${left <= 0 ? "expired" : "expires"} ${expires.slice(0, 10)}`];
  const known = [...identityTexts(Object.values(identity)), ...ending].join(", ") || (description ?? "");
  return [
    paint.bold(visibleLine(address ?? kind)),
    paint.dim(visibleLine(id)),
    (ownership === "none" ? paint.change : String)(visibleLine(owner)),
    (left <= 0 ? paint.alarm : left <= soonMs ? paint.change : String)(visibleLine(known)),
    paint.dim(visibleLine(referredToBy.join(", "))),
  ];
}

function summaryText({ resources, stack, summary }: Inventory): string {
  if (resources.length === 0) return "No resources.";
  const parts = [
    ...(stack === null ? [] : [`${summary.this} of ${visibleLine(stack)}`]),
    `${summary.other} of ${stack === null ? "stacks" : "other stacks"}`,
    `${summary.none} of no stack`,
  ];
  return `${count(resources.length, "resource")}: ${parts.join(", ")}.`;
}
