import equal from "fast-deep-equal";
import { type Value, isObject } from "../../json.js";
import type { Codec } from "../kind.js";
import { asJson } from "./plain.js";

/** HTTP headers: names come back in lower case, none come back as null (specification, "HTTP response backend"). */
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
