import { type Value, type ValueObject, isObject } from "../core/json.js";
import { Secret } from "../core/secret.js";
import { escapedExpressions } from "../export/export-document.js";

/** Whether two values are equal. The order of members means nothing; a secret is equal to itself alone. */
export function sameValue(a: Value | undefined, b: Value | undefined): boolean {
  return isAlike(a, b, (x, y) => x === y);
}

/** Whether a document says what the manifest means, with no variable, file or secret filled in. */
export function isLiteral(raw: Value | undefined, meant: Value | undefined): boolean {
  return isAlike(raw, meant, (x, y) => x === y || (typeof y === "string" && x === escapedExpressions(y)));
}

type Part = Value | undefined;

function isAlike(a: Part, b: Part, same: (a: Part, b: Part) => boolean): boolean {
  if (Array.isArray(a) && Array.isArray(b)) {
    const others: readonly Value[] = b;
    return a.length === others.length && a.every((item: Value, at) => isAlike(item, others[at], same));
  }
  if (!isMap(a) || !isMap(b)) return same(a, b);
  const members = Object.keys(a);
  return (
    members.length === Object.keys(b).length &&
    members.every((member) => Object.hasOwn(b, member) && isAlike(a[member], b[member], same))
  );
}

export function isMap(value: Part): value is ValueObject {
  return isObject(value) && !(value instanceof Secret);
}
