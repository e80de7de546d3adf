import type { Secret } from "./secret.js";

/** Any JSON value, read-only. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;

/** A JSON object. An absent member reads as `undefined`. */
export interface JsonObject {
  readonly [member: string]: Json | undefined;
}

/** Whether `value` is a JSON object (not null, not an array). */
export function isObject(value: unknown): value is { readonly [member: string]: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * A copy of `value` with the value at a JSON pointer (RFC 6901) replaced. Only the values on the path are copied.
 * @throws RangeError when the pointer leads nowhere: a plan names only places that its body has
 */
export function setAt(value: Value, pointer: string, replacement: Value): Value {
  if (pointer === "") return replacement;
  if (!pointer.startsWith("/")) throw new RangeError(`${pointer} is not a JSON pointer`);
  const tokens = pointer
    .slice(1)
    .split("/")
    .map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"));
  const replaceIn = (inner: Value, depth: number): Value => {
    const token = tokens[depth];
    if (token === undefined) return replacement;
    if (Array.isArray(inner)) {
      const items: readonly Value[] = inner;
      const index = /^(?:0|[1-9][0-9]*)$/u.test(token) ? Number(token) : -1;
      const item = items[index];
      if (item === undefined) throw new RangeError(`${pointer} leads nowhere in the body`);
      return items.with(index, replaceIn(item, depth + 1));
    }
    if (!isObject(inner) || !Object.hasOwn(inner, token)) throw new RangeError(`${pointer} leads nowhere in the body`);
    const members: ValueObject = inner;
    return { ...members, [token]: replaceIn(members[token] ?? null, depth + 1) };
  };
  return replaceIn(value, 0);
}

/** A value of a spec in normal form: JSON, with secrets wrapped. */
export type Value = null | boolean | number | string | Secret | readonly Value[] | ValueObject;

/** An object of values. An absent member reads as `undefined`. */
export interface ValueObject {
  readonly [member: string]: Value | undefined;
}

/**
 * The fields of one resource by the API's names.
 * References are `{id}` (a live id) or `{name}` (a resource to be created); a hostport is a string or `{address: name}`.
 */
export type Spec = ValueObject;

/** A copy of a JSON value with each text in it replaced, names of members included. */
export function mapTexts(value: Json, replace: (text: string) => string): Json {
  if (typeof value === "string") return replace(value);
  if (Array.isArray(value)) return (value as readonly Json[]).map((item) => mapTexts(item, replace));
  if (!isObject(value)) return value;
  const members = Object.entries(value);
  return Object.fromEntries(members.map(([name, part]) => [replace(name), mapTexts(part ?? null, replace)]));
}
