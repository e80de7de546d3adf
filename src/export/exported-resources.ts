import { type Value, type ValueObject, isObject } from "../core/json.js";
import { addrOf, hostportKey } from "../kinds/codecs/reference-codecs.js";
import type { Codec } from "../kinds/kind.js";
import { type Marker, readMarker } from "../kinds/marker.js";
import { type KindName, addressOf, listedKinds } from "../kinds/names.js";
import { kinds } from "../kinds/registry.js";
import type { Live } from "../live/live.js";
import { slug } from "../core/text.js";

/** One live resource that is exported. */
export interface ExportedResource {
  readonly kind: KindName;
  readonly id: string;
  /** As the service returned it; for a kind without a list endpoint, its modules. */
  readonly wire: ValueObject;
  /** Its marker when this stack owns it. */
  readonly own: Marker | null;
  /** The stack that owns it when it is another one. */
  readonly otherStack: string | null;
  /** The name that somebody else gave it; null = it is named after what it is. */
  readonly givenName: string | null;
}

/** What is exported. */
export interface Selection {
  /** Resources of no stack, of `stacks`, or all. */
  readonly which: "unowned" | "owned" | "all";
  /** The stacks whose resources count as owned: this one, then the previous ones. */
  readonly stacks: readonly string[];
  /** Only these, by {@link resourceKey}, with the names to give them, if any. Absent = whatever is live. */
  readonly named?: ReadonlyMap<string, string | null>;
}

/** What is exported of one kind, and in words what is not. */
export interface SelectedResources {
  readonly resources: readonly ExportedResource[];
  readonly warnings: readonly string[];
}

/**
 * The resources of one kind to export, oldest first, so that names stay the same when newer resources appear. What the
 * service manages itself is left out.
 * @param wires as listed: newest first, which breaks ties
 */
export function selectResources(
  kind: KindName,
  wires: readonly ValueObject[],
  { named, stacks, which }: Selection,
): SelectedResources {
  const warnings: string[] = [];
  const found: { readonly created: string; readonly resource: ExportedResource }[] = [];
  for (const wire of wires.toReversed()) {
    const { id, created_at: created } = wire;
    if (typeof id !== "string" || named?.has(resourceKey(kind, id)) === false) continue;
    const { marker } = readMarker(wire["metadata"]);
    const own = marker !== null && stacks.includes(marker.stack) ? marker : null;
    if (which === "unowned" && marker !== null) continue;
    if (which === "owned" && own === null) continue;
    const managed = kinds[kind].managedByService?.(wire) ?? null;
    if (managed !== null) {
      warnings.push(`${kind} ${id} was not exported: ${managed}`);
      continue;
    }
    const otherStack = marker === null || own !== null ? null : marker.stack;
    found.push({
      created: typeof created === "string" ? created : "",
      resource: { kind, id, wire, own, otherStack, givenName: named?.get(resourceKey(kind, id)) ?? null },
    });
  }
  const resources = found
    .sort((a, b) => (a.created < b.created ? -1 : a.created > b.created ? 1 : 0))
    .map(({ resource }) => resource);
  return { resources, warnings };
}

/** The addresses of what these stacks own and an export leaves alone. */
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

/** The names of everything that is exported. */
export interface ExportNames {
  /** By {@link resourceKey}. */
  readonly byId: ReadonlyMap<string, string>;
  /** The names of reserved addresses, by the hostport's addr. */
  readonly byAddr: ReadonlyMap<string, string>;
}

/** The key of a resource: ids are unique within a kind. */
export function resourceKey(kind: string, id: string): string {
  return `${kind}/${id}`;
}

/**
 * Names everything that is exported, uniquely within its kind. Resources of this stack keep their names; others have
 * the name that they were given, or are named after their description, hostport, common name or id. When several want one
 * name, the oldest gets it and the others get a part of their id added.
 * @param reserved addresses that nobody gets: this stack has other resources of these names
 */
export function assignNames(
  resources: readonly ExportedResource[],
  reserved: ReadonlySet<string> = new Set(),
): ExportNames {
  const byId = new Map<string, string>();
  const byAddr = new Map<string, string>();
  const taken = new Set(reserved);
  const owned = resources.filter(({ own }) => own !== null);
  const others = resources.filter(({ own }) => own === null);
  for (const resource of [...owned, ...others]) {
    const { kind, id, wire, own } = resource;
    const wanted = own !== null && isName(own.name) ? own.name : (resource.givenName ?? nameFor(resource));
    const name = uniqueName(wanted, id, (candidate) => taken.has(`${kind}/${candidate}`));
    taken.add(`${kind}/${name}`);
    byId.set(resourceKey(kind, id), name);
    const addr = addrOf(kinds[kind], wire);
    if (addr !== null) byAddr.set(hostportKey(addr), name);
  }
  return { byId, byAddr };
}

/** The first property that makes a name. */
function nameFor({ kind, id, wire }: ExportedResource): string {
  const candidates = [wire["description"], ...(kinds[kind].exportNames?.(wire) ?? []), id];
  for (const candidate of candidates) {
    const name = typeof candidate === "string" ? slug(candidate) : null;
    if (name !== null) return name;
  }
  return kind.toLowerCase();
}

function uniqueName(wanted: string, id: string, taken: (name: string) => boolean): string {
  if (!taken(wanted)) return wanted;
  const tail = slug(id.slice(-6)) ?? "x";
  let name = withSuffix(wanted, tail);
  for (let count = 2; taken(name); count++) name = withSuffix(wanted, `${tail}-${count}`);
  return name;
}

/** The value with every reference to something exported written by its name: `{name}`, or `{address}` for a hostport. */
export function referencesByName(codec: Codec, value: Value, names: ExportNames): Value {
  const references = codec.references?.(value) ?? [];
  if (references.length === 0) return value;
  const ids = new Map<string, string>();
  const addrs = new Map<string, string>();
  for (const { kind, target } of references) {
    if ("id" in target && kind !== null) {
      const name = names.byId.get(resourceKey(kind, target.id));
      if (name !== undefined) ids.set(target.id, name);
    } else if ("addr" in target) {
      const name = names.byAddr.get(hostportKey(target.addr));
      if (name !== undefined) addrs.set(target.addr, name);
    }
  }
  return replaceReferences(value, ids, addrs);
}

function replaceReferences(value: Value, ids: ReadonlyMap<string, string>, addrs: ReadonlyMap<string, string>): Value {
  if (typeof value === "string") {
    const address = addrs.get(value);
    return address === undefined ? value : { address };
  }
  if (Array.isArray(value)) return (value as readonly Value[]).map((item) => replaceReferences(item, ids, addrs));
  if (isObject(value) && typeof value["id"] === "string") {
    const name = ids.get(value["id"]);
    if (name !== undefined) return { name };
  }
  return value;
}

const longestName = 100;

/** `name` with a suffix, within the longest name that manifests may have. */
function withSuffix(name: string, suffix: string): string {
  return `${name.slice(0, longestName - suffix.length - 1)}-${suffix}`;
}

function isName(text: string): boolean {
  return text.length <= longestName && /^[a-z0-9]([a-z0-9._-]*[a-z0-9])?$/u.test(text);
}
