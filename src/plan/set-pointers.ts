import { isObject } from "../json.js";
import type { Json } from "../json.js";
import type { Binding } from "./plan.js";

/** A body with every binding resolved. The body that is given stays as it is. Pointers are JSON pointers (RFC 6901). */
export function setPointers(
  body: Json,
  bind: { readonly [pointer: string]: Binding },
  resolve: (binding: Binding) => Json,
): Json {
  let result = body;
  for (const [pointer, binding] of Object.entries(bind)) {
    const path = pointer
      .split("/")
      .slice(1)
      .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
    result = set(result, path, resolve(binding));
  }
  return result;
}

function set(target: Json, [head, ...rest]: readonly string[], value: Json): Json {
  if (head === undefined) return value;
  if (Array.isArray(target))
    return target.map((item: Json, index) => (String(index) === head ? set(item, rest, value) : item));
  if (!isObject(target)) return target;
  return {
    ...(target as { readonly [member: string]: Json }),
    [head]: set((target[head] as Json | undefined) ?? null, rest, value),
  };
}
