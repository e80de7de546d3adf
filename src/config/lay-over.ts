import { isObject } from "../json.js";

/**
 * `over` laid over `base`: objects are merged member by member, all the way down; everything else (lists, scalars,
 * null) is replaced as a whole.
 */
export function mergeObjects(base: unknown, over: unknown): unknown {
  if (!isObject(base) || !isObject(over)) return over;
  const members = Object.entries(over).map(([name, value]) => [name, mergeObjects(base[name], value)] as const);
  return { ...base, ...Object.fromEntries(members) };
}
