import { isObject } from "../../json.js";

/**
 * Whether two JSON values are equal; the order of members means nothing. Members may have any name: what people and
 * services write may be called `valueOf` or `constructor`, which general comparisons stumble over.
 */
export function sameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((item, index) => sameJson(item, b[index]));
  }
  if (!isObject(a) || !isObject(b)) return false;
  const members = Object.keys(a);
  if (members.length !== Object.keys(b).length) return false;
  return members.every((member) => Object.hasOwn(b, member) && sameJson(a[member], b[member]));
}
