import { isDeepStrictEqual } from "node:util";
import equal from "fast-deep-equal";
import { type Json, type Value, isObject } from "../../core/json.js";
import { certificateBlocks, certificateBody } from "../../core/pem.js";
import { Secret } from "../../core/secret.js";
import type { Codec } from "../kind.js";
import { plainMetadata, readMarker } from "../marker.js";

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

/** Of a value that holds no secret. */
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

/** It would begin another header. */
export function isHeaderValue(value: string): boolean {
  return !/[\r\n\0]/u.test(value);
}
