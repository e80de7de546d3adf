import { parseJson } from "../../parse-json.js";
import { sameJson } from "./same-json.js";
import type { Codec } from "../kind.js";
import type { Value } from "../value.js";
import { asJson } from "./plain.js";

/**
 * A traffic policy: a string that holds a JSON document. The manifest may write it as an object.
 * Compared as parsed JSON (the order of rules counts, that of keys doesn't); unparsable ones as text.
 */
export const policy: Codec = {
  fromManifest: (value) => (typeof value === "string" ? value : JSON.stringify(value)),
  fromWire: (value) => value ?? null,
  toWire: (value) => ({ json: asJson(value), bind: {} }),
  same: (a, b) => a === b || samePolicy(a, b),
};

/** The document in a policy text; undefined when it is not JSON, or nested too deep. */
export function parsePolicy(value: Value): unknown {
  if (typeof value !== "string") return undefined;
  const parsed = parseJson(value);
  return "value" in parsed ? parsed.value : undefined;
}

function samePolicy(a: Value, b: Value): boolean {
  const left = parsePolicy(a);
  return left !== undefined && sameJson(left, parsePolicy(b));
}
