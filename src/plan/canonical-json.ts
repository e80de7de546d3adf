import { createHash } from "node:crypto";
import { Secret } from "../core/secret.js";
import type { Plan } from "./plan-format.js";

/** JSON text with the members of every object in one order: equal values, equal bytes. Secrets print as a mask. */
export function canonicalJson(value: unknown): string {
  if (typeof value === "string") return quoted(value);
  if (typeof value !== "object" || value === null) return JSON.stringify(value ?? null);
  const ordered = inOrder(value);
  return ordered === null ? memberByMember(value) : JSON.stringify(ordered);
}

/**
 * A copy whose members are in order, so that `JSON.stringify` writes them so, which takes half as long as to write them one
 * by one. Null when a name can't be put in its place.
 */
function inOrder(value: object): object | null {
  if (value instanceof Secret) return value;
  if (Array.isArray(value)) {
    const items: unknown[] = [];
    for (const item of value as readonly unknown[]) {
      const ordered = typeof item === "object" && item !== null ? inOrder(item) : item;
      if (ordered === null && item !== null) return null;
      items.push(ordered);
    }
    return items;
  }
  const object = value as { readonly [member: string]: unknown };
  const members: { [member: string]: unknown } = {};
  for (const name of Object.keys(object).sort()) {
    if (isMisplaced(name)) return null;
    const member = object[name];
    const ordered = typeof member === "object" && member !== null ? inOrder(member) : member;
    if (ordered === null && member !== null) return null;
    members[name] = ordered;
  }
  return members;
}

/** Whether a member of this name may not be where it was added: whole numbers come first, and one name is not a member. */
function isMisplaced(name: string): boolean {
  const first = name.charCodeAt(0);
  return (first >= 0x30 && first <= 0x39) || name === "__proto__";
}

/** The same for any names. */
function memberByMember(value: unknown): string {
  if (typeof value === "string") return quoted(value);
  if (value instanceof Secret) return quoted(value.toJSON());
  if (Array.isArray(value)) return `[${value.map((item) => memberByMember(item ?? null)).join(",")}]`;
  if (typeof value === "object" && value !== null) {
    const object = value as { readonly [member: string]: unknown };
    let members = "";
    for (const name of Object.keys(object).sort()) {
      const member = object[name];
      if (member !== undefined) members += `${members === "" ? "" : ","}${quoted(name)}:${memberByMember(member)}`;
    }
    return `{${members}}`;
  }
  return JSON.stringify(value ?? null);
}

/** Characters that JSON escapes. */
// eslint-disable-next-line no-control-regex
const escaped = /["\\\u0000-\u001f\ud800-\udfff]/;

/** A string as JSON. Most are short names, which need no escape: testing for that is faster than `JSON.stringify`. */
function quoted(text: string): string {
  return text.length < 64 && !escaped.test(text) ? `"${text}"` : JSON.stringify(text);
}

/** `sha256:…` of a value's canonical JSON. */
export function fingerprint(value: unknown): string {
  return `sha256:${createHash("sha256").update(canonicalJson(value), "utf8").digest("hex")}`;
}

/** The checksum of a plan, over everything but the hash itself and the tool's version. It is not a signature. */
export function hashPlan(plan: Omit<Plan, "hash" | "toolVersion">): string {
  const { hash: _hash, toolVersion: _version, ...rest } = plan as Plan;
  return fingerprint(rest);
}
