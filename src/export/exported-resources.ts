import { type Value, type ValueObject, isObject } from "../core/json.js";
import { addrOf, hostportKey } from "../kinds/codecs.js";
import type { Codec } from "../kinds/kind.js";
import { type Marker, readMarker } from "../kinds/marker.js";
import { type KindName, addressOf, listedKinds } from "../kinds/names.js";
import { kinds } from "../kinds/registry.js";
import type { Live } from "../live/live.js";
import { slug } from "../core/text.js";

export type ExportedResource = Readonly<{
  kind: KindName;
  id: string;
  wire: ValueObject;
  own: Marker | null;
  otherStack: string | null;
  givenName: string | null;
}>;

export type Selection = Readonly<{
  which: "unowned" | "owned" | "all";
  stacks: readonly string[];
  /** Only these, by {@link resourceKey}, with their names, if any. */
  named?: ReadonlyMap<string, string | null>;
}>;

/**
 * Oldest first, so that names stay the same when newer resources appear.
 * @param wires newest first, as listed
 * @param reasons why resources are not exported, by {@link resourceKey}; added to
 */
export function selectResources(
  kind: KindName,
  wires: readonly ValueObject[],
  { named, stacks, which }: Selection,
  reasons: Map<string, string>,
): readonly ExportedResource[] {
  return wires.toReversed().flatMap((wire): readonly ExportedResource[] => {
    const { id } = wire;
    if (typeof id !== "string" || named?.has(resourceKey(kind, id)) === false) return [];
    const { marker } = readMarker(wire["metadata"]);
    const own = marker !== null && stacks.includes(marker.stack) ? marker : null;
    if ((which === "unowned" && marker !== null) || (which === "owned" && own === null)) return [];
    const managed = kinds[kind].managedByService(wire);
    if (managed !== null) {
      reasons.set(resourceKey(kind, id), managed);
      return [];
    }
    const otherStack = marker === null || own !== null ? null : marker.stack;
    return [{ kind, id, wire, own, otherStack, givenName: named?.get(resourceKey(kind, id)) ?? null }];
  });
}

export function addressesLeft(
  lists: Live["lists"],
  exported: readonly ExportedResource[],
  stacks: readonly string[],
): ReadonlySet<string> {
  const own = new Set(exported.map(({ id, kind }) => resourceKey(kind, id)));
  const addresses = listedKinds.flatMap((kind) =>
    lists[kind].flatMap(({ id, metadata }) => {
      const { marker } = readMarker(metadata);
      if (marker === null || !stacks.includes(marker.stack) || own.has(resourceKey(kind, String(id)))) return [];
      return [addressOf(kind, marker.name)];
    }),
  );
  return new Set(addresses);
}

export type ExportNames = Readonly<{
  byId: ReadonlyMap<string, string>;
  byAddr: ReadonlyMap<string, string>;
}>;

export function resourceKey(kind: string, id: string): string {
  return `${kind}/${id}`;
}

/**
 * Resources of this stack keep their names. Of several that want one name, the oldest gets it and the others a part of
 * their id. `reserved`: addresses of what isn't exported.
 */
export function assignNames(resources: readonly ExportedResource[], reserved: ReadonlySet<string>): ExportNames {
  const byId = new Map<string, string>();
  const byAddr = new Map<string, string>();
  const taken = new Set(reserved);
  const ownedFirst = resources.toSorted((a, b) => Number(a.own === null) - Number(b.own === null));
  for (const resource of ownedFirst) {
    const { kind, id, wire, own } = resource;
    const wanted = own !== null && isName(own.name) ? own.name : (resource.givenName ?? nameFor(resource));
    const tail = slug(id.slice(-6)) ?? "x";
    let name = wanted;
    for (let count = 1; taken.has(`${kind}/${name}`); count++)
      name = `${wanted.slice(0, 85)}-${tail}${count === 1 ? "" : `-${count}`}`;
    taken.add(`${kind}/${name}`);
    byId.set(resourceKey(kind, id), name);
    const addr = addrOf(kinds[kind], wire);
    if (addr !== null) byAddr.set(hostportKey(addr), name);
  }
  return { byId, byAddr };
}

function nameFor({ kind, id, wire }: ExportedResource): string {
  const candidates = [wire["description"], ...kinds[kind].exportNames(wire), id];
  const names = candidates.map((candidate) => (typeof candidate === "string" ? slug(candidate) : null));
  return names.find((name) => name !== null) ?? kind.toLowerCase();
}

/** What is exported is referred to as `{name}`, or `{address}` for a hostport. */
export function referencesByName(codec: Codec, value: Value, names: ExportNames): Value {
  const references = codec.references?.(value) ?? [];
  if (references.length === 0) return value;
  const named = new Map<string, ValueObject>();
  for (const { kind, target } of references) {
    if ("id" in target && kind !== null) {
      const name = names.byId.get(resourceKey(kind, target.id));
      if (name !== undefined) named.set(`id ${target.id}`, { name });
    } else if ("addr" in target) {
      const address = names.byAddr.get(hostportKey(target.addr));
      if (address !== undefined) named.set(`addr ${target.addr}`, { address });
    }
  }
  return replaceReferences(value, named);
}

function replaceReferences(value: Value, named: ReadonlyMap<string, ValueObject>): Value {
  if (Array.isArray(value)) return (value as readonly Value[]).map((item) => replaceReferences(item, named));
  const key = typeof value === "string" ? `addr ${value}` : isObject(value) ? `id ${String(value["id"])}` : "";
  return named.get(key) ?? value;
}

function isName(text: string): boolean {
  return text.length <= 100 && /^[a-z0-9]([a-z0-9._-]*[a-z0-9])?$/u.test(text);
}
