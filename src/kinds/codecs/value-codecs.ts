import equal from "fast-deep-equal";
import { type Json, type Value, isObject } from "../../core/json.js";
import { certificateBlocks, certificateBody } from "../../core/pem.js";
import { Secret } from "../../core/secret.js";
import type { Codec } from "../kind.js";
import { plainMetadata, readMarker } from "../marker.js";

/** Compared exactly; an empty member of a list's objects is none. */
export const plain: Codec = {
  fromManifest: withoutEmptyMembers,
  fromWire: (value) => withoutEmptyMembers(value ?? null),
  toWire: (value) => ({ json: asJson(value), bind: {} }),
  same: (a, b) => a === b || equal(a, b),
};

function withoutEmptyMembers(value: Value): Value {
  if (!Array.isArray(value)) return value;
  return (value as readonly Value[]).map((item) =>
    isObject(item)
      ? (Object.fromEntries(Object.entries(item).filter(([, part]) => part !== null && part !== "")) as Value)
      : item,
  );
}

/** "" is how some services show that there is none. */
export const filledText: Codec = {
  ...plain,
  fromWire: (value) => (value === undefined || value === "" ? null : value),
};

/** Absent, null and "" mean the same; "" clears it. */
export const clearableText: Codec = {
  ...plain,
  fromManifest: (value) => value ?? "",
  fromWire: (value) => value ?? "",
};

/** A value that holds no secret, as JSON. */
export function asJson(value: Value): Json {
  return value as Json;
}

export const secretText: Codec = {
  ...filledText,
  fromManifest: (value) => value ?? null,
  toWire: (value) => (value === null ? { json: "", bind: {} } : { json: null, bind: { "": { secret: true } } }),
  same: (a, b) => (a instanceof Secret && b instanceof Secret ? a.sameAs(b) : a === b),
};

/** PEM, leaf first. Compared as DER: white space and line lengths mean nothing. */
export const certificateChain: Codec = {
  ...plain,
  same: (a, b) => a === b || chainOf(a) === chainOf(b),
  comparable: chainOf,
};

/** A text without certificates is compared as it stands. */
function chainOf(pem: Value): Value {
  const chain = typeof pem === "string" ? certificateBlocks(pem).map(certificateBody).join(".") : "";
  return chain === "" ? pem : chain;
}

/** Names come back in lower case; no headers come back as null. */
export const headers: Codec = {
  fromManifest: lowerCased,
  fromWire: (value) => lowerCased(value ?? null),
  // No headers are sent as an empty map: what a PATCH with null does is not specified.
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

/** The marker is taken off before and put on after, so that nothing else sees it. */
export const userMetadata: Codec = {
  fromManifest: emptyAsNothing,
  fromWire: (value) => emptyAsNothing(readMarker(value).user),
  toWire: (value) => ({ json: plainMetadata(value), bind: {} }),
  same: (a, b) => a === b || sameJson(emptyAsNothing(asDocument(a)), emptyAsNothing(asDocument(b))),
  comparable: (value) => emptyAsNothing(asDocument(value)),
};

function emptyAsNothing(value: Value): Value {
  return value === null || (isObject(value) && Object.keys(value).length === 0) ? "" : value;
}

function asDocument(value: Value): Value {
  return typeof value === "string" ? readMarker(value).user : value;
}

/** Members may be called `valueOf` or `constructor`, which general comparisons stumble over. */
function sameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((item, index) => sameJson(item, b[index]));
  }
  if (!isObject(a) || !isObject(b)) return false;
  const members = Object.keys(a);
  if (members.length !== Object.keys(b).length) return false;
  return members.every((member) => Object.hasOwn(b, member) && sameJson(a[member], b[member]));
}

export function isHeaderName(name: string): boolean {
  return /^[!#$%&'*+.^_`|~0-9a-z-]+$/iu.test(name);
}

/** A line break would begin another header. */
export function isHeaderValue(value: string): boolean {
  return !/[\r\n\0]/u.test(value);
}
