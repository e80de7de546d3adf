import equal from "fast-deep-equal";
import { isDeepStrictEqual } from "node:util";
import { type Json, type Spec, type Value, type ValueObject, isObject } from "../core/json.js";
import { certificateBlocks, certificateBody } from "../core/pem.js";
import { Secret } from "../core/secret.js";
import type { Codec, Kind, Reference, ReferenceTarget, ReferredKind } from "./kind.js";
import { plainMetadata, readMarker } from "./marker.js";
import type { KindName } from "./names.js";

export const plain: Codec = {
  fromManifest: (value) => value,
  fromWire: (value) => value ?? null,
  toWire: (value) => ({ json: asJson(value), bind: {} }),
  same: (a, b) => a === b || equal(a, b),
};

/** Some services show "" for none. */
export const filledText: Codec = {
  ...plain,
  fromWire: (value) => (value === undefined || value === "" ? null : value),
};

/** Absent, null and "" mean the same. */
export const clearableText: Codec = {
  ...plain,
  fromManifest: (value) => value ?? "",
  fromWire: (value) => value ?? "",
};

export function asJson(value: Value): Json {
  return value as Json;
}

export const secretText: Codec = {
  ...filledText,
  fromManifest: (value) => value ?? null,
  toWire: (value) => (value === null ? { json: "", bind: {} } : { json: null, bind: { "": { secret: true } } }),
  same: (a, b) => (a instanceof Secret && b instanceof Secret ? a.sameAs(b) : a === b),
};

/** Compared as DER. */
export const certificateChain: Codec = {
  ...plain,
  same: (a, b) => a === b || chainOf(a) === chainOf(b),
  comparable: chainOf,
};

function chainOf(pem: Value): Value {
  const chain = typeof pem === "string" ? certificateBlocks(pem).map(certificateBody).join(".") : "";
  return chain === "" ? pem : chain;
}

export const headers: Codec = {
  fromManifest: lowerCased,
  fromWire: (value) => lowerCased(value ?? null),
  // What null does is not specified.
  toWire: (value) => ({ json: asJson(value ?? {}), bind: {} }),
  same: (a, b) => a === b || equal(a, b),
};

function lowerCased(value: Value): Value {
  if (!isObject(value)) return value;
  const names = Object.keys(value);
  if (names.length === 0) return null;
  if (names.every((name) => name === name.toLowerCase())) return value;
  return Object.fromEntries(names.map((name) => [name.toLowerCase(), value[name]])) as Value;
}

/** Without the marker. */
export const userMetadata: Codec = {
  fromManifest: emptyAsNothing,
  fromWire: (value) => emptyAsNothing(readMarker(value).user),
  toWire: (value) => ({ json: plainMetadata(value), bind: {} }),
  same: (a, b) => a === b || isDeepStrictEqual(asDocument(a), asDocument(b)),
  comparable: asDocument,
};

function emptyAsNothing(value: Value): Value {
  return value === null || (isObject(value) && Object.keys(value).length === 0) ? "" : value;
}

function asDocument(value: Value): Value {
  return emptyAsNothing(typeof value === "string" ? readMarker(value).user : value);
}

export function isHeaderName(name: string): boolean {
  return /^[!#$%&'*+.^_`|~0-9a-z-]+$/iu.test(name);
}

export function isHeaderValue(value: string): boolean {
  return !/[\r\n\0]/u.test(value);
}

type ItemForm = Readonly<{
  kind: KindName | null;
  part: "id" | "addr";
  key: (item: Value) => string;
  fromWire: (item: Value) => Value;
  wire: (item: Value) => Json;
  target: (item: Value) => ReferenceTarget | null;
  resolved: (target: ReferenceTarget) => Value | null;
}>;

export const ipPolicy: ReferredKind = { kind: null, title: "an IP policy", idPrefix: "ipp_" };
export const certificateAuthority: ReferredKind = { kind: null, title: "a certificate authority", idPrefix: "ca_" };
export const endpointConfiguration: ReferredKind = { kind: null, title: "an endpoint configuration", idPrefix: "ec_" };

/** This API lists one of their kinds. */
export const anyBackend: ReferredKind = { kind: "HTTPResponseBackend", title: "a backend", idPrefix: null };
export const edgeOfRoutes: ReferredKind = { kind: null, title: "an HTTPS edge", idPrefix: null };

/** `{id, uri}` in responses, an id in requests; `{id}`, `{name}` or `{name, stack}` in manifests. */
export function ref(referred: ReferredKind): Codec {
  const form = refForm(referred.kind);
  return {
    referred,
    fromManifest: (value) => value,
    fromWire: (value) => form.fromWire(value ?? null),
    toWire: (value) => wireOf(value, "", form),
    same: (a, b) => a === b || refKey(a) === refKey(b),
    ...(form.kind === null ? {} : { refersTo: [form.kind] }),
    references: (value) => referencesIn([value], form),
    resolve: (value, resolve) => resolveItem(value, form, resolve),
  };
}

export function refs(referred: ReferredKind): Codec {
  return { referred, ...setOf(refForm(referred.kind)) };
}

function refForm(kind: KindName | null): ItemForm {
  return {
    kind,
    part: "id",
    key: refKey,
    fromWire: (item) => {
      const id = textMember(item, "id");
      return id === null ? item : { id };
    },
    wire: (item) => textMember(item, "id"),
    target: (item) => {
      const [name, stack, id] = ["name", "stack", "id"].map((member) => textMember(item, member));
      if (name != null) return stack == null ? { name } : { named: name, stack };
      return id == null ? null : { id };
    },
    resolved: (target) => target,
  };
}

function setOf(form: ItemForm): Codec {
  const { fromWire, key, kind } = form;
  return {
    fromManifest: (value) => unique(listOf(value), key),
    fromWire: (value) => {
      if (!Array.isArray(value)) return value ?? [];
      const items = (value as readonly Value[]).map(fromWire);
      return items.length < 2 ? items : items.toSorted((a, b) => (key(a) < key(b) ? -1 : 1));
    },
    toWire: (value) => {
      const items = listOf(value).map((item, index) => wireOf(item, `/${index}`, form));
      return { json: items.map(({ json }) => json), bind: Object.assign({}, ...items.map(({ bind }) => bind)) };
    },
    same: (a, b) => sameSet(a, b, key),
    ...(kind === null ? {} : { refersTo: [kind] }),
    references: (value) => referencesIn(listOf(value), form),
    resolve: (value, resolve) => {
      const items = listOf(value);
      const resolved = items.map((item) => resolveItem(item, form, resolve));
      return resolved.every((item, index) => item === items[index]) ? value : unique(resolved, key);
    },
  };
}

function wireOf(item: Value, pointer: string, { kind, part, target, wire }: ItemForm): ReturnType<Codec["toWire"]> {
  const named = target(item);
  if (named === null || !("name" in named)) return { json: wire(item), bind: {} };
  return { json: null, bind: kind === null ? {} : { [pointer]: { kind, name: named.name, part } } };
}

function referencesIn(items: readonly Value[], { kind, part, target: targetOf }: ItemForm): readonly Reference[] {
  return items.flatMap((item) => {
    const target = targetOf(item);
    return target === null ? [] : [{ kind, part, target }];
  });
}

function resolveItem(
  item: Value,
  { kind, part, resolved, target: targetOf }: ItemForm,
  resolve: (reference: Reference) => ReferenceTarget | null,
): Value {
  const target = targetOf(item);
  const found = target === null || "id" in target || "addr" in target ? null : resolve({ kind, part, target });
  return (found === null ? null : resolved(found)) ?? item;
}

export function listOf(value: Value | undefined): readonly Value[] {
  return Array.isArray(value) ? value : [];
}

function unique(items: readonly Value[], key: (item: Value) => string): readonly Value[] {
  return items.length < 2 ? items : [...new Map(items.map((item) => [key(item), item])).values()];
}

export function textMember(value: Value | undefined, member: string): string | null {
  if (!isObject(value)) return null;
  const found = value[member];
  return typeof found === "string" ? found : null;
}

export function sameRefs(a: Value, b: Value): boolean {
  return sameSet(a, b, refKey);
}

function sameSet(a: Value, b: Value, key: (item: Value) => string): boolean {
  if (!Array.isArray(a) || !Array.isArray(b)) return JSON.stringify(a) === JSON.stringify(b);
  const left = new Set(a.map(key));
  const right = new Set(b.map(key));
  return left.size === right.size && [...left].every((item) => right.has(item));
}

function refKey(value: Value): string {
  const id = textMember(value, "id");
  if (id !== null) return `id:${id}`;
  const name = textMember(value, "name");
  return name === null ? JSON.stringify(value) : `name:${textMember(value, "stack") ?? ""}/${name}`;
}

/** `host:port`, or `{address: name}` for that of a reserved address. */
export const hostports: Codec = setOf({
  kind: "ReservedAddress",
  part: "addr",
  key: (item) =>
    typeof item === "string" ? hostportKey(item) : `address:${textMember(item, "address") ?? JSON.stringify(item)}`,
  fromWire: (item) => item,
  wire: (item) => (typeof item === "string" ? item : null),
  target: (item) => {
    const name = textMember(item, "address");
    return name === null ? { addr: typeof item === "string" ? item : "" } : { name };
  },
  resolved: (target) => ("addr" in target ? target.addr : null),
});

/** Null when its text is known only after apply. */
export function hostportClaim(item: Value): string | null {
  return typeof item === "string" ? `hostport:${hostportKey(item)}` : null;
}

export function hostportClaims({ hostports: served }: Spec): readonly string[] {
  return listOf(served).flatMap((item) => hostportClaim(item) ?? []);
}

export function addrOf(kind: Kind, wire: ValueObject): string | null {
  const addr = wire["addr"];
  return kind.hasAddr === true && typeof addr === "string" ? addr : null;
}

export function withoutPort(hostport: unknown): string | null {
  return typeof hostport === "string" ? hostport.replace(/:443$/u, "") : null;
}

export function hostportKey(hostport: string): string {
  return hostport.toLowerCase();
}
