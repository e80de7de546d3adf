import { type Value, isObject } from "../core/json.js";
import { Secret } from "../core/secret.js";

/** Whether two values are equal. The order of members means nothing; a secret is equal to itself alone. */
export function sameValue(a: Value | undefined, b: Value | undefined): boolean {
  if (a === b) return true;
  if (a instanceof Secret || b instanceof Secret) return false;
  if (Array.isArray(a)) {
    const other = b as readonly Value[];
    return Array.isArray(b) && a.length === b.length && a.every((item: Value, at) => sameValue(item, other[at]));
  }
  if (!isObject(a) || !isObject(b)) return false;
  const [left, right] = [a as { [m: string]: Value }, b as { [m: string]: Value }];
  const members = Object.keys(left);
  if (members.length !== Object.keys(right).length) return false;
  return members.every((member) => Object.hasOwn(right, member) && sameValue(left[member], right[member]));
}

/** A text with every `${{` escaped, as a manifest must write it. */
export function escapeExpressions(text: string): string {
  return text.replaceAll("${{", () => "$${{");
}

/**
 * Whether what a document says is what the manifest means, with nothing filled in: no variable, no file, no secret. Then
 * it can be removed or replaced without losing where it came from.
 * @param raw the value in the document
 * @param meant the same in the manifest
 */
export function isLiteral(raw: Value | undefined, meant: Value | undefined): boolean {
  if (typeof raw === "string") return raw === meant || (typeof meant === "string" && raw === escapeExpressions(meant));
  if (meant instanceof Secret) return false;
  if (Array.isArray(raw)) {
    const other = meant as readonly Value[];
    return (
      Array.isArray(meant) && raw.length === meant.length && raw.every((item: Value, at) => isLiteral(item, other[at]))
    );
  }
  if (!isObject(raw)) return raw === meant;
  if (!isObject(meant)) return false;
  const [left, right] = [raw as { [m: string]: Value }, meant as { [m: string]: Value }];
  const members = Object.keys(left);
  return (
    members.length === Object.keys(right).length &&
    members.every((member) => Object.hasOwn(right, member) && isLiteral(left[member], right[member]))
  );
}

/** The value as a document must write it: `${{` escaped. Holds no secret. */
export function writtenForm(value: Value): Value {
  if (typeof value === "string") return escapeExpressions(value);
  if (Array.isArray(value)) return (value as readonly Value[]).map(writtenForm);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value as { [m: string]: Value }).map(([name, part]) => [name, writtenForm(part)]),
  );
}
