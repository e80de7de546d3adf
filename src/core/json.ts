import type { Secret } from "./secret.js";

export type Json = null | boolean | number | string | readonly Json[] | JsonObject;

export interface JsonObject {
  readonly [member: string]: Json | undefined;
}

export function isObject(value: unknown): value is { readonly [member: string]: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A value of a spec in normal form: JSON, with secrets wrapped. */
export type Value = null | boolean | number | string | Secret | readonly Value[] | ValueObject;

export interface ValueObject {
  readonly [member: string]: Value | undefined;
}

/** References are `{id}` (live) or `{name}` (to be created); a hostport is a string or `{address: name}`. */
export type Spec = ValueObject;

export function mapTexts(value: Json, replace: (text: string) => string): Json {
  if (typeof value === "string") return replace(value);
  if (Array.isArray(value)) return (value as readonly Json[]).map((item) => mapTexts(item, replace));
  if (!isObject(value)) return value;
  const members = Object.entries(value);
  return Object.fromEntries(members.map(([name, part]) => [replace(name), mapTexts(part ?? null, replace)]));
}
