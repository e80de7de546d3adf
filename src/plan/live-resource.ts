import type { JsonObject } from "../json.js";
import type { Kind } from "../kinds/kind.js";
import { readMarker, type Marker } from "../kinds/marker.js";
import { addressOf, kindNames, listedKinds, type Address } from "../kinds/names.js";
import { specFromWire } from "../kinds/normal-form.js";
import { kinds } from "../kinds/registry.js";
import type { Spec } from "../kinds/value.js";
import type { Live } from "../live/live.js";
import type { PlanOptions } from "./options.js";

/** One live resource in normal form. */
export interface LiveResource {
  readonly kind: Kind;
  readonly id: string;
  readonly wire: JsonObject;
  readonly spec: Spec;
  readonly marker: Marker | null;
  /** `metadata` has a member `edgewise` that is no marker. */
  readonly malformed: boolean;
  /** Whether the marker is this stack's (or a previous one's). */
  readonly owned: boolean;
  /** Milliseconds; 0 when the API doesn't say. */
  readonly createdAt: number;
}

/** The live side of a plan with everything that is looked up in it. */
export interface LiveIndex {
  readonly all: readonly LiveResource[];
  /** By {@link instanceKey}. */
  readonly byInstance: ReadonlyMap<string, LiveResource>;
  /** Owned ones by the address in their marker. */
  readonly owned: ReadonlyMap<Address, readonly LiveResource[]>;
  /** Reserved addresses (whatever has an addr) by it, lower-cased. */
  readonly byAddr: ReadonlyMap<string, LiveResource>;
  /** By claim, who holds it. */
  readonly holders: ReadonlyMap<string, readonly LiveResource[]>;
}

/** Names one live resource across kinds: `TLSEdge@edgtls_1`. */
export function instanceKey(kind: string, id: string): string {
  return `${kind}@${id}`;
}

/** Brings the live lists to normal form and indexes them. Linear in their length. */
export function indexLive(live: Live, options: Pick<PlanOptions, "stack" | "previousStacks">): LiveIndex {
  const stacks = new Set([options.stack, ...options.previousStacks]);
  const all: LiveResource[] = [];
  for (const name of listedKinds) {
    for (const wire of live.lists[name]) all.push(fromWire(kinds[name], wire, stacks));
  }
  // Any order of pages gives the same plan.
  all.sort((a, b) => kindNames.indexOf(a.kind.kind) - kindNames.indexOf(b.kind.kind) || compare(a.id, b.id));
  for (const { kind: name, id, modules } of live.modules) {
    const kind = kinds[name];
    const spec = specFromWire(kind, modules);
    all.push({ kind, id, wire: {}, spec, marker: null, malformed: false, owned: false, createdAt: 0 });
  }
  const byInstance = new Map(all.map((resource) => [instanceKey(resource.kind.kind, resource.id), resource]));
  const owned = new Map<Address, LiveResource[]>();
  const byAddr = new Map<string, LiveResource>();
  const holders = new Map<string, LiveResource[]>();
  for (const resource of all) {
    if (resource.owned && resource.marker !== null)
      push(owned, addressOf(resource.kind.kind, resource.marker.name), resource);
    const addr = resource.wire["addr"];
    if (typeof addr === "string") byAddr.set(addr.toLowerCase(), resource);
    for (const claim of resource.kind.claims?.(resource.spec) ?? []) push(holders, claim, resource);
  }
  return { all, byInstance, owned, byAddr, holders };
}

/** Adds to the list under a key. */
export function push<K, V>(map: Map<K, V[]>, key: K, value: V): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [value]);
  else list.push(value);
}

/** Order by code units: the same on every machine. */
export function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function fromWire(kind: Kind, wire: JsonObject, stacks: ReadonlySet<string>): LiveResource {
  const { marker, malformed } = readMarker(wire["metadata"]);
  const createdAt = typeof wire["created_at"] === "string" ? Date.parse(wire["created_at"]) : Number.NaN;
  return {
    kind,
    id: typeof wire["id"] === "string" ? wire["id"] : "",
    wire,
    spec: specFromWire(kind, wire),
    marker,
    malformed,
    owned: marker !== null && stacks.has(marker.stack),
    createdAt: Number.isNaN(createdAt) ? 0 : createdAt,
  };
}
