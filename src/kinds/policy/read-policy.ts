import type { Value } from "../../json.js";
import { parseJson } from "../../parse-json.js";

/**
 * The JSON document in a text; undefined when it is not JSON, or nested too deep: everything that walks a policy may
 * recurse. No manifest can be deeper either.
 */
export function readPolicy(text: string): Value | undefined {
  const parsed = parseJson(text);
  return "value" in parsed ? valueOf(parsed.value) : undefined;
}

/** What JSON gives is a value. */
function valueOf(json: unknown): Value {
  return json as Value;
}
