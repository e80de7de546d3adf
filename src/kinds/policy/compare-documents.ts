import type { Value } from "../../core/json.js";
import { Secret } from "../../core/secret.js";
import { isValueObject } from "./secret-places.js";

/**
 * Whether two policy documents mean the same: the order of rules counts, that of members doesn't. A source that a
 * manifest names is compared with the text on the other side. Null when only secrets that are not available here keep
 * it from being decided.
 */
export function sameDocument(a: Value | undefined, b: Value | undefined): boolean | null {
  if (a === b) return true;
  if (a instanceof Secret || b instanceof Secret) return sameSecret(a, b);
  if (Array.isArray(a)) {
    if (!Array.isArray(b) || a.length !== b.length) return false;
    const items: readonly Value[] = b;
    return all((a as readonly Value[]).keys(), (index) => sameDocument(a[index], items[index]));
  }
  if (!isValueObject(a) || !isValueObject(b)) return false;
  const members = Object.keys(a);
  if (members.length !== Object.keys(b).length) return false;
  return all(members, (member) => Object.hasOwn(b, member) && sameDocument(a[member], b[member]));
}

/** A secret is a text: anything else differs from it, whether the secret is available or not. */
function sameSecret(a: Value | undefined, b: Value | undefined): boolean | null {
  const [left, right] = [asSecret(a), asSecret(b)];
  return left === null || right === null ? false : left.sameAs(right);
}

/** The secret that a value is, or that it would be as a text; null for anything else. */
export function asSecret(value: Value | undefined): Secret | null {
  if (value instanceof Secret) return value;
  return typeof value === "string" ? Secret.of(value, "live") : null;
}

function all<T>(items: Iterable<T>, same: (item: T) => boolean | null): boolean | null {
  let result: boolean | null = true;
  for (const item of items) {
    const one = same(item);
    if (one === false) return false;
    result = result === null ? null : one;
  }
  return result;
}

/** Whether two JSON texts have the same strings and numbers, white space, order and spelling of strings apart. */
export function sameTokens(a: string, b: string): boolean {
  return sameItems(tokens(a).toSorted(), tokens(b).toSorted());
}

/**
 * Whether two JSON texts whose documents are the same hold the same: a number of too many digits, or a member that
 * stands there twice, is lost when it is read. Only where something is lost the texts themselves count, in their order.
 */
export function holdTheSame(a: string, b: string): boolean {
  if (losesNothing(a) && losesNothing(b)) return true;
  return sameItems(plainNumbers(tokens(a)), plainNumbers(tokens(b)));
}

/** Whether a JSON text can be read and written again without losing a digit or a member that stands there twice. */
export function losesNothing(text: string): boolean {
  const read = JSON.stringify(JSON.parse(text));
  return sameItems(plainNumbers(tokens(text)).toSorted(), plainNumbers(tokens(read)).toSorted());
}

/** The strings and numbers of a JSON text in their order, spelling apart. */
export function plainTokens(text: string): readonly string[] {
  return plainNumbers(tokens(text));
}

function sameItems(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((item, index) => item === b[index]);
}

function tokens(text: string): readonly string[] {
  const found = text.match(/"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|[^\s"]/gu) ?? [];
  return found.map((token) => (token.startsWith('"') ? `"${String(JSON.parse(token))}` : token));
}

/** Numbers as they are read, where that loses nothing: `1.0` is `1`, and one of too many digits stays what it is. */
function plainNumbers(found: readonly string[]): readonly string[] {
  return found.map((token) => {
    if (!/^-?\d/u.test(token)) return token;
    const [mantissa = token] = token.split(/e/iu);
    const digits = mantissa.replaceAll(/[-.]/gu, "").replace(/^0+/u, "");
    return digits.length <= 15 && Number.isFinite(Number(token)) ? String(Number(token)) : token;
  });
}
