import type { Json, JsonObject, Spec } from "../core/json.js";
import { addrOf, hostportKey } from "../kinds/codecs.js";
import { isOn } from "../kinds/impact.js";
import type { Deletion, Kind, Reference } from "../kinds/kind.js";
import type { Marker } from "../kinds/marker.js";
import { type Address, type KindName, type ListedKind, addressOf, listedKinds } from "../kinds/names.js";
import { readWire } from "../kinds/normal-form.js";
import { kinds } from "../kinds/registry.js";
import type { Live } from "../live/live.js";

export type LiveResource = Readonly<{
  kind: Kind;
  id: string;
  key: string;
  wire: JsonObject;
  spec: Spec;
  marker: Marker | null;
  malformed: boolean;
  owned: boolean;
  createdAt: number;
}>;

export type LiveIndex = Readonly<ReturnType<typeof indexLive>>;

export function indexLive(
  { lists, modules }: Pick<Live, "lists" | "modules">,
  { previousStacks, stack }: Readonly<{ previousStacks: readonly string[]; stack: string }>,
) {
  const stacks = new Set([stack, ...previousStacks]);
  const all = [
    ...listedKinds.flatMap((kind) =>
      lists[kind].map((wire) => listedResource(kinds[kind], wire, stacks)).sort((a, b) => compareText(a.id, b.id)),
    ),
    ...modules.map(({ kind: name, id, modules: wire }): LiveResource => {
      const { spec } = readWire(kinds[name], wire);
      const unowned = { marker: null, malformed: false, owned: false, createdAt: 0 };
      return { kind: kinds[name], id, key: instanceKey(name, id), wire: {}, spec, ...unowned };
    }),
  ];
  const mine = all.filter(({ owned }) => owned);
  const owned = new Map<Address, LiveResource[]>();
  for (const resource of mine) push(owned, addressOfLive(resource), resource);
  const byAddr = new Map<string, LiveResource>();
  const holders = new Map<string, LiveResource[]>();
  for (const resource of all) {
    const addr = addrOf(resource.kind, resource.wire);
    if (addr !== null) byAddr.set(hostportKey(addr), resource);
    for (const claim of resource.kind.claims(resource.spec)) push(holders, claim, resource);
  }
  const addrShapes = new Set(Array.from(byAddr.keys(), shapeOf));
  const byInstance = new Map(all.map((resource) => [resource.key, resource]));
  return { all, mine, owned, byInstance, byAddr, addrShapes, holders };
}

/** With `#` for every number. An IP address is like no other. */
export function shapeOf(hostport: string): string {
  const host = hostport.slice(0, hostport.lastIndexOf(":"));
  return /^[\d.]+$|^\[/u.test(host) ? host : host.replaceAll(/\d+/gu, "#");
}

const knownWires = new WeakMap<JsonObject, ReturnType<typeof readWire>>();

function listedResource(kind: Kind, wire: JsonObject, stacks: ReadonlySet<string>): LiveResource {
  const read = knownWires.get(wire) ?? readWire(kind, wire);
  knownWires.set(wire, read);
  const { metadata, spec } = read;
  const { marker, malformed } = metadata;
  const { created_at: created } = wire;
  const id = typeof wire["id"] === "string" ? wire["id"] : "";
  return {
    kind,
    id,
    key: instanceKey(kind.kind, id),
    wire,
    spec,
    marker,
    malformed,
    owned: marker !== null && stacks.has(marker.stack),
    createdAt: typeof created === "string" ? Date.parse(created) || 0 : 0,
  };
}

export function replacedBy({ kind, marker }: LiveResource, { byInstance }: LiveIndex): LiveResource | undefined {
  return marker?.replaces === undefined ? undefined : byInstance.get(instanceKey(kind.kind, marker.replaces));
}

export function addressOfLive({ kind, id, marker, owned }: LiveResource): Address {
  return addressOf(kind.kind, owned && marker !== null ? marker.name : id);
}

export function identityTexts(values: readonly (Json | undefined)[]): readonly string[] {
  const texts = values.flat().map((value = null) => {
    if (typeof value !== "object") return typeof value === "string" ? value : JSON.stringify(value);
    return value === null ? "" : identityTexts(Object.values(value)).join(" ");
  });
  return texts.filter((text) => text !== "");
}

export function deletionOf({ kind, marker }: LiveResource): Deletion {
  return marker?.deletion ?? kind.defaults.deletion;
}

export function referencesOf(kind: Kind, spec: Spec, index: LiveIndex): readonly string[] {
  return referencesIn(kind, spec).flatMap(({ reference }) => keyOf(reference, index) ?? []);
}

export function mayReferTo(kind: ListedKind, referred: KindName): boolean {
  return kinds[kind].referringFields.some(({ field }) => field.codec.refersTo?.includes(referred) === true);
}

/** What may refer to it can't be listed, so it is not deleted. */
export function isSheltered({ kind }: Kind, { unreadable }: Live): boolean {
  return unreadable.some((one) => mayReferTo(one.kind, kind));
}

export type Referrer<T> = Readonly<{
  resource: T;
  field: string;
}>;

export function referrersAmong<T extends Pick<LiveResource, "kind" | "spec">>(
  resources: readonly T[],
  index: LiveIndex,
): ReadonlyMap<string, readonly Referrer<T>[]> {
  const referrers = new Map<string, Referrer<T>[]>();
  for (const resource of resources) {
    for (const { reference, field } of referencesIn(resource.kind, resource.spec)) {
      const key = keyOf(reference, index);
      if (key !== null) push(referrers, key, { resource, field });
    }
  }
  return referrers;
}

export function withoutDisabled(kind: Kind, spec: Spec): Spec {
  const on = kind.fieldList.filter(({ field, name }) => field.module === undefined || isOn(spec[name] ?? null));
  return Object.fromEntries(on.map(({ name }) => [name, spec[name] ?? null]));
}

export function referencesIn(kind: Kind, spec: Spec): readonly Readonly<{ reference: Reference; field: string }>[] {
  return kind.referringFields.flatMap(({ field: { codec }, name }) => {
    const value = spec[name] ?? null;
    return value === null ? [] : (codec.references?.(value) ?? []).map((reference) => ({ reference, field: name }));
  });
}

/** Null for names, and for what the API doesn't list. */
export function keyOf({ kind, target }: Reference, { byAddr, byInstance }: LiveIndex): string | null {
  if ("addr" in target) return byAddr.get(hostportKey(target.addr))?.key ?? null;
  if (kind === null || !("id" in target)) return null;
  return byInstance.get(instanceKey(kind, target.id))?.key ?? null;
}

export function instanceKey(kind: string, id: string): string {
  return `${kind}@${id}`;
}

export function push<K, V>(map: Map<K, V[]>, key: K, value: V): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [value]);
  else list.push(value);
}

/** By code units: the same on every machine. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
