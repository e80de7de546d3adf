import type { Secret } from "./secret.js";
import { limits } from "./limits.js";

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

/** Whether JSON can be read and written again without losing a digit or a duplicate member. */
export function losesNothing(text: string): boolean {
  return (
    tokensOf(text).toSorted().join("\n") ===
    tokensOf(JSON.stringify(JSON.parse(text)))
      .toSorted()
      .join("\n")
  );
}

/** As they are read where that loses nothing: `1.0` is `1`. */
function tokensOf(text: string): readonly string[] {
  const found = text.match(/"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|[^\s"]/gu) ?? [];
  return found.map((token) => {
    if (token.startsWith('"')) return JSON.stringify(JSON.parse(token));
    if (!/^-?\d/u.test(token)) return token;
    const digits = (token.split(/e/iu, 1)[0] ?? "").replaceAll(/[-.]/gu, "").replace(/^0+/u, "");
    return digits.length <= 15 && Number.isFinite(Number(token)) ? String(Number(token)) : token;
  });
}

type ParsedJson = { readonly value: unknown } | { readonly problem: "syntax" | "depth" };

export function parseJson(text: string, deepest: number = limits.depth): ParsedJson {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { problem: "syntax" };
  }
  return isDeeper(value, deepest) ? { problem: "depth" } : { value };
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((part) => isDeeper(part, levels - 1));
}
