import { type Value, isObject } from "../json.js";
import type { Codec, Reference } from "../kinds/kind.js";
import { type ListedKind, listedKinds } from "../kinds/names.js";
import type { ExportNames } from "./name-all.js";

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
    const name = names.byAddr.get(target.addr.toLowerCase());
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
