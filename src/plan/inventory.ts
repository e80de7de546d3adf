import type { Json } from "../core/json.js";
import { type ListedKind, listedKinds } from "../kinds/names.js";
import { kinds } from "../kinds/registry.js";
import type { Live } from "../live/live.js";
import { malformedMarker } from "./guards/reference-guards.js";
import { type LiveResource, addressOfLive, compareText, indexLive, mayReferTo, referrersAmong } from "./live-index.js";
import type { Warning } from "./plan-format.js";

export const ownerships = ["this", "other", "none"] as const;
export type Ownership = (typeof ownerships)[number];

export interface InventoryResource {
  readonly kind: ListedKind;
  readonly address: string | null;
  readonly id: string;
  readonly ownership: Ownership;
  readonly owner: { readonly stack: string; readonly name: string } | null;
  readonly description: string | null;
  /** In the API's own members: `{"hostports": […]}`. */
  readonly identity: { readonly [member: string]: Json };
  readonly expires: string | null;
  readonly referredToBy: readonly string[];
}

export interface Inventory {
  readonly format: "edgewise.list/v1";
  /** Null when none is configured: then every owner is another one. */
  readonly stack: string | null;
  readonly baseUrl: string;
  readonly toolVersion: string;
  readonly summary: { readonly [O in Ownership]: number };
  readonly resources: readonly InventoryResource[];
  /** What may refer to those listed, but can't be listed itself. */
  readonly hiddenReferrers: { readonly [K in ListedKind]?: string };
  readonly warnings: readonly Warning[];
}

export interface InventoryOptions extends Pick<Inventory, "stack" | "baseUrl" | "toolVersion"> {
  readonly previousStacks: readonly string[];
  readonly kinds: readonly ListedKind[];
  readonly ownership: Ownership | null;
}

export function inventoryOf(live: Live, options: InventoryOptions): Inventory {
  const { stack, baseUrl, toolVersion, previousStacks, ownership } = options;
  // No marker has an empty stack.
  const index = indexLive({ ...live, modules: [] }, { stack: stack ?? "", previousStacks });
  const referrers = referrersAmong(index.all, index);
  const wanted = options.kinds.length === 0 ? listedKinds : options.kinds;
  const listed = wanted.map((kind) => ({ kind, all: index.all.filter((resource) => resource.kind.kind === kind) }));
  const resources = listed.flatMap(({ all, kind }) =>
    all
      .map((resource) => {
        const names = (referrers.get(resource.key) ?? []).map((referrer) => addressOfLive(referrer.resource));
        return shownResource(kind, resource, [...new Set(names)].toSorted(compareText));
      })
      .filter((shown) => ownership === null || shown.ownership === ownership)
      .sort(byOwner),
  );
  const warnings = [
    ...live.unreadable.flatMap((refused) => unreadableKind(refused, wanted)),
    ...listed
      .flatMap(({ all }) => all.filter(({ malformed }) => malformed))
      .map((one): Warning => ({ code: "malformed-marker", message: malformedMarker, address: addressOfLive(one) })),
  ];
  const summary = { this: 0, other: 0, none: 0 };
  for (const shown of resources) summary[shown.ownership] += 1;
  const hiddenReferrers = Object.fromEntries(
    wanted.flatMap((kind) => {
      const hidden = kinds[kind].hiddenReferrers;
      return hidden !== undefined && resources.some((shown) => shown.kind === kind) ? [[kind, hidden]] : [];
    }),
  );
  return { format: "edgewise.list/v1", stack, baseUrl, toolVersion, summary, resources, hiddenReferrers, warnings };
}

function unreadableKind({ kind, status }: Live["unreadable"][number], wanted: readonly ListedKind[]): Warning[] {
  const isShown = wanted.includes(kind);
  if (!isShown && !wanted.some((each) => mayReferTo(kind, each))) return [];
  const missing = isShown ? "so none is shown" : "so none is shown as a referrer";
  const message = `${kind} can't be listed: the service refuses with ${status}, ${missing}`;
  return [{ code: "kind-unreadable", message }];
}

function shownResource(kind: ListedKind, resource: LiveResource, referredToBy: readonly string[]): InventoryResource {
  const { id, marker, owned, wire } = resource;
  const { description } = wire;
  return {
    kind,
    address: owned ? addressOfLive(resource) : null,
    id,
    ownership: owned ? "this" : marker === null ? "none" : "other",
    owner: marker === null ? null : { stack: marker.stack, name: marker.name },
    description: typeof description === "string" && description !== "" ? description : null,
    identity: identityOf(resource),
    expires: kinds[kind].expires(wire),
    referredToBy,
  };
}

export function identityOf({ kind, wire }: LiveResource): InventoryResource["identity"] {
  const members = kind.identifiedBy.map((member): [string, Json] => [member, wire[member] ?? null]);
  return Object.fromEntries(members.filter(([, value]) => value !== null));
}

/** For people: `a.example:443`; the values of an object in a row: `10.0.0.0/8 allow`. */
export function identityTexts(identity: InventoryResource["identity"]): readonly string[] {
  return Object.values(identity)
    .flat()
    .map(valueText)
    .filter((text) => text !== "");
}

function valueText(value: Json): string {
  if (typeof value === "string") return value;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const parts = Object.values(value).map((part: Json | undefined) => valueText(part ?? ""));
  return parts.filter((text) => text !== "").join(" ");
}

/** Two may have one marker, and the service promises no order. */
function byOwner(a: InventoryResource, b: InventoryResource): number {
  return (
    ownerships.indexOf(a.ownership) - ownerships.indexOf(b.ownership) ||
    compareText(a.owner?.stack ?? "", b.owner?.stack ?? "") ||
    compareText(a.owner?.name ?? a.id, b.owner?.name ?? b.id) ||
    compareText(a.id, b.id)
  );
}
