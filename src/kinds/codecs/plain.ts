import equal from "fast-deep-equal";
import type { Json, Value } from "../../json.js";
import type { Codec } from "../kind.js";

/** A value that looks the same everywhere and is compared exactly. */
export const plain: Codec = {
  fromManifest: (value) => value,
  fromWire: (value) => value ?? null,
  toWire: (value) => ({ json: asJson(value), bind: {} }),
  same: (a, b) => a === b || equal(a, b),
};

/** A text for which absent, null and "" mean the same; "" clears it. */
export const clearableText: Codec = {
  ...plain,
  fromManifest: (value) => value ?? "",
  fromWire: (value) => value ?? "",
};

/** A value that holds no secret, as JSON. Codecs that can hold one don't use it. */
export function asJson(value: Value): Json {
  return value as Json;
}
