import { createHash } from "node:crypto";
import { Secret } from "../core/secret.js";
import type { Plan } from "./plan-format.js";

/** Equal values, equal bytes; secrets print as a mask. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (typeof value !== "object" || value === null || value instanceof Secret) return JSON.stringify(value ?? null);
  const object = value as { readonly [member: string]: unknown };
  const names = Object.keys(object).filter((name) => object[name] !== undefined);
  const members = names.sort().map((name) => `${JSON.stringify(name)}:${canonicalJson(object[name])}`);
  return `{${members.join(",")}}`;
}

export function fingerprint(value: unknown): string {
  return `sha256:${createHash("sha256").update(canonicalJson(value), "utf8").digest("hex")}`;
}

/** A checksum, not a signature. The tool's version is left out. */
export function hashPlan(plan: Omit<Plan, "hash" | "toolVersion">): string {
  const { hash: _hash, toolVersion: _version, ...rest } = plan as Plan;
  return fingerprint(rest);
}
