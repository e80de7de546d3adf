import { createHash } from "node:crypto";
import { MASK, Secret } from "../secret.js";

/** JSON text with the members of every object in one order: equal values, equal bytes. Secrets print as a mask. */
export function canonicalJson(value: unknown): string {
  if (value instanceof Secret) return JSON.stringify(MASK);
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item ?? null)).join(",")}]`;
  if (typeof value === "object" && value !== null) {
    const members = Object.entries(value)
      .filter(([, member]) => member !== undefined)
      .toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
      .map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`);
    return `{${members.join(",")}}`;
  }
  return JSON.stringify(value ?? null);
}

/** `sha256:…` of a value's canonical JSON. */
export function fingerprint(value: unknown): string {
  return `sha256:${createHash("sha256").update(canonicalJson(value), "utf8").digest("hex")}`;
}
