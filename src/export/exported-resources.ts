import { type JsonObject, type Value, isObject } from "../json.js";
import { addrOf, hostportKey } from "../kinds/codecs/reference-codecs.js";
import type { Codec, Reference } from "../kinds/kind.js";
import { type Marker, readMarker } from "../kinds/marker.js";
import { type ListedKind, forListedKinds, listedKinds } from "../kinds/names.js";
import { kinds } from "../kinds/registry.js";
import { isName, slug, withSuffix } from "./slug.js";

/** One live resource that is exported. */
export interface ExportedResource {
  readonly kind: ListedKind;
  readonly id: string;
  readonly wire: JsonObject;
  /** Its marker when it is this stack's. */
  readonly own: Marker | null;
  /** The stack that owns it when it is somebody else's. */
  readonly otherStack: string | null;
}

/**
 * The resources of one kind that are asked for, oldest first, so that names stay when newer ones come.
 * @param wires as listed, which is newest first: that decides where times are the same
 */
export function selectResources(
  kind: ListedKind,
  wires: readonly JsonObject[],
  options: { readonly which: "unowned" | "owned" | "all"; readonly stacks: readonly string[] },
): ExportedResource[] {
  const found: (ExportedResource & { readonly made: string })[] = [];
  for (const wire of wires.toReversed()) {
    const { id, created_at: created } = wire;
    if (typeof id !== "string") continue;
    const { marker } = readMarker(wire["metadata"]);
    const own = marker !== null && options.stacks.includes(marker.stack) ? marker : null;
    if (options.which === "unowned" && marker !== null) continue;
    if (options.which === "owned" && own === null) continue;
    const otherStack = marker === null || own !== null ? null : marker.stack;
    found.push({ kind, id, wire, own, otherStack, made: typeof created === "string" ? created : "" });
  }
  return found.sort((a, b) => compare(a.made, b.made)).map(({ made: _made, ...rest }) => rest);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Names of what is exported: by kind and id, and reserved addresses by the addr that hostports name them by. */
export interface ExportNames {
  readonly byId: { readonly [K in ListedKind]: ReadonlyMap<string, string> };
  readonly byAddr: ReadonlyMap<string, string>;
}

/**
 * Names everything that is exported, uniquely within its kind. What this stack owns keeps its name; anything else is
 * named for what people call it. Of several with one name the first (oldest) has it, the others get a piece of their id.
 */
export function assignNames(selections: readonly ExportedResource[]): ExportNames {
  const byId = forListedKinds(() => new Map<string, string>());
  const byAddr = new Map<string, string>();
  const taken = new Set<string>();
  const owned = selections.filter((selection) => selection.own !== null);
  const rest = selections.filter((selection) => selection.own === null);
  for (const selection of [...owned, ...rest]) {
    const { kind, id, wire, own } = selection;
    const wanted = own !== null && isName(own.name) ? own.name : nameFor(selection);
    const name = uniqueName(wanted, id, (candidate) => taken.has(`${kind}/${candidate}`));
    taken.add(`${kind}/${name}`);
    byId[kind].set(id, name);
    const addr = addrOf(kinds[kind], wire);
    if (addr !== null) byAddr.set(hostportKey(addr), name);
  }
  return { byId, byAddr };
}

/** The first of what people may call it that makes a name; at last its id. */
function nameFor({ kind, id, wire }: ExportedResource): string {
  const hostports = Array.isArray(wire["hostports"]) ? (wire["hostports"] as readonly unknown[]) : [];
  const alternatives = isObject(wire["subject_alternative_names"])
    ? wire["subject_alternative_names"]["dns_names"]
    : [];
  const domains: readonly unknown[] = Array.isArray(alternatives) ? alternatives : [];
  const candidates = [
    wire["description"],
    withoutPort(hostports[0]),
    wire["subject_common_name"],
    domains[0],
    withoutPort(wire["addr"]),
    wire["type"],
    typeof wire["status_code"] === "number" ? `status-${wire["status_code"]}` : null,
    id,
  ];
  for (const candidate of candidates) {
    const name = typeof candidate === "string" ? slug(candidate) : null;
    if (name !== null) return name;
  }
  return kind.toLowerCase();
}

function withoutPort(hostport: unknown): string | null {
  return typeof hostport === "string" ? hostport.replace(/:443$/u, "") : null;
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
  for (const reference of references) collectName(reference, names, ids, addrs);
  return replaceReferences(value, ids, addrs);
}

function collectName(
  reference: Reference,
  names: ExportNames,
  ids: Map<string, string>,
  addrs: Map<string, string>,
): void {
  const { kind, target } = reference;
  if ("id" in target && kind !== null && isListedKind(kind)) {
    const name = names.byId[kind].get(target.id);
    if (name !== undefined) ids.set(target.id, name);
  } else if ("addr" in target) {
    const name = names.byAddr.get(hostportKey(target.addr));
    if (name !== undefined) addrs.set(target.addr, name);
  }
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

function isListedKind(kind: string): kind is ListedKind {
  return (listedKinds as readonly string[]).includes(kind);
}
