import { type Json, type Spec, type Value, isObject } from "../../core/json.js";
import type { Codec, Kind, Reference, ReferenceTarget, ReferredKind, WireBinding } from "../kind.js";
import type { KindName } from "../names.js";

/** One Ref: `{id, uri}` in responses, an id in requests, `{id}`, `{name}` or `{name, stack}` in manifests. Null = none. */
export function ref(referred: ReferredKind): Codec {
  const { kind } = referred;
  return {
    referred,
    fromManifest: (value) => value ?? null,
    fromWire: (value) => refFromWire(value ?? null),
    toWire: (value) => {
      const target = targetOf(value);
      if (target === null || !("name" in target)) return { json: textMember(value, "id"), bind: {} };
      return { json: null, bind: kind === null ? {} : { "": { kind, name: target.name, part: "id" } } };
    },
    same: (a, b) => a === b || refKey(a) === refKey(b),
    ...(kind === null ? {} : { refersTo: [kind] }),
    references: (value) => referencesIn([value], kind),
    resolve: (value, resolve) => resolveRef(value, kind, resolve),
  };
}

/** A set of Refs; the order means nothing. */
export function refs(referred: ReferredKind): Codec {
  const { kind } = referred;
  return {
    referred,
    fromManifest: (value) => (Array.isArray(value) ? uniqueRefs(value) : []),
    fromWire: (value) => (Array.isArray(value) ? inOneOrder(value.map(refFromWire), refKey) : (value ?? [])),
    toWire: (value) => {
      const bind: Record<string, WireBinding> = {};
      const json = listOf(value).map((item, index) => {
        const name = textMember(item, "name");
        if (name === null) return textMember(item, "id");
        if (kind !== null) bind[`/${index}`] = { kind, name, part: "id" };
        return null;
      });
      return { json, bind };
    },
    same: sameRefs,
    ...(kind === null ? {} : { refersTo: [kind] }),
    references: (value) => referencesIn(listOf(value), kind),
    resolve: (value, resolve) => mapped(value, (item) => resolveRef(item, kind, resolve)),
  };
}

/** The items of a list value; anything else counts as empty. */
export function listOf(value: Value | undefined): readonly Value[] {
  return Array.isArray(value) ? value : [];
}

/** A list with every item replaced; the list itself when no item is. */
function mapped(value: Value, replace: (item: Value) => Value): Value {
  const items = listOf(value);
  let result: Value[] | null = null;
  for (const [index, item] of items.entries()) {
    const next = replace(item);
    if (next === item) continue;
    result ??= [...items];
    result[index] = next;
  }
  return result ?? value;
}

/** A set from the service, which may return it in any order: plans of the same account are equal. */
function inOneOrder(items: readonly Value[], key: (item: Value) => string): readonly Value[] {
  return items.length < 2 ? items : items.toSorted((a, b) => (key(a) < key(b) ? -1 : 1));
}

/** A text member of an object value, or null. */
export function textMember(value: Value | undefined, member: string): string | null {
  if (!isObject(value)) return null;
  const found = value[member];
  return typeof found === "string" ? found : null;
}

/** Whether two lists of Refs hold the same ones, in any order. */
export function sameRefs(a: Value, b: Value): boolean {
  return sameSet(a, b, refKey);
}

/** Whether two lists hold the same items in any order, each compared by its key. */
function sameSet(a: Value, b: Value, key: (item: Value) => string): boolean {
  if (!Array.isArray(a) || !Array.isArray(b)) return JSON.stringify(a) === JSON.stringify(b);
  if (a.length === 1 && b.length === 1) return a[0] === b[0] || key(a[0] ?? null) === key(b[0] ?? null);
  const left = new Set(a.map(key));
  const right = new Set(b.map(key));
  return left.size === right.size && [...left].every((item) => right.has(item));
}

/** What makes a Ref different from another. */
export function refKey(value: Value): string {
  const id = textMember(value, "id");
  if (id !== null) return `id:${id}`;
  const name = textMember(value, "name");
  return name === null ? JSON.stringify(value) : `name:${textMember(value, "stack") ?? ""}/${name}`;
}

function refFromWire(value: Value): Value {
  const id = textMember(value, "id");
  return id === null ? value : { id };
}

function uniqueRefs(items: readonly Value[]): readonly Value[] {
  if (items.length < 2) return items;
  const seen = new Map(items.map((item) => [refKey(item), item]));
  return [...seen.values()];
}

function referencesIn(items: readonly Value[], kind: KindName | null): Reference[] {
  return items.flatMap((item) => {
    const target = targetOf(item);
    return target === null ? [] : [{ kind, part: "id", target }];
  });
}

function targetOf(item: Value | undefined): ReferenceTarget | null {
  const [name, stack, id] = ["name", "stack", "id"].map((member) => textMember(item, member));
  if (name != null) return stack == null ? { name } : { named: name, stack };
  return id == null ? null : { id };
}

function resolveRef(value: Value, kind: KindName | null, resolve: (r: Reference) => ReferenceTarget | null): Value {
  const target = targetOf(value);
  return target === null || "id" in target ? value : (resolve({ kind, part: "id", target }) ?? value);
}

/**
 * The set of hostports that an edge serves: `host:port`, or `{address: name}` for the addr of a reserved address.
 * Hosts are names of the DNS: their case means nothing.
 */
export const hostports: Codec = {
  fromManifest: (value) => uniqueHostports(listOf(value)),
  fromWire: (value) => (Array.isArray(value) ? inOneOrder(value, keyOfHostport) : (value ?? [])),
  toWire: (value) => {
    const bind: Record<string, WireBinding> = {};
    const json = listOf(value).map((item, index): Json => {
      const name = textMember(item, "address");
      if (name === null) return typeof item === "string" ? item : null;
      bind[`/${index}`] = { kind: "ReservedAddress", name, part: "addr" };
      return null;
    });
    return { json, bind };
  },
  same: (a, b) => sameSet(a, b, keyOfHostport),
  refersTo: ["ReservedAddress"],
  references: (value) => listOf(value).map(referenceOf),
  resolve: (value, resolve) => {
    const resolved = mapped(value, (item) => {
      const target = textMember(item, "address") === null ? null : resolve(referenceOf(item));
      return target !== null && "addr" in target ? target.addr : item;
    });
    // The addr may stand there as text, too.
    return resolved === value ? value : uniqueHostports(listOf(resolved));
  },
};

/** The claim that a hostport stands for; null when its text is known only after apply. */
export function hostportClaim(item: Value): string | null {
  return typeof item === "string" ? `hostport:${hostportKey(item)}` : null;
}

/** The claims of an edge: its hostports. */
export function hostportClaims({ hostports: served }: Spec): readonly string[] {
  return listOf(served).flatMap((item) => hostportClaim(item) ?? []);
}

/** Whether a claim is that of a hostport. */
export function isHostportClaim(claim: string): boolean {
  return claim.startsWith("hostport:");
}

/** The `host:port` that the service assigned to a resource, from its wire form; null for kinds without one. */
export function addrOf(kind: Kind, wire: { readonly [member: string]: unknown }): string | null {
  const addr = wire["addr"];
  return kind.hasAddr === true && typeof addr === "string" ? addr : null;
}

/** A hostport as a name for what it belongs to: without the port that everybody expects. Null for anything else. */
export function withoutPort(hostport: unknown): string | null {
  return typeof hostport === "string" ? hostport.replace(/:443$/u, "") : null;
}

/** Two hostports with one key are the same place: the case of host names means nothing. */
export function hostportKey(hostport: string): string {
  return hostport.toLowerCase();
}

function uniqueHostports(items: readonly Value[]): readonly Value[] {
  if (items.length < 2) return items;
  return [...new Map(items.map((item) => [keyOfHostport(item), item])).values()];
}

/** What makes a hostport different from another. */
function keyOfHostport(item: Value): string {
  return typeof item === "string"
    ? hostportKey(item)
    : `address:${textMember(item, "address") ?? JSON.stringify(item)}`;
}

function referenceOf(item: Value): Reference {
  const name = textMember(item, "address");
  const target = name === null ? { addr: typeof item === "string" ? item : "" } : { name };
  return { kind: "ReservedAddress", part: "addr", target };
}
