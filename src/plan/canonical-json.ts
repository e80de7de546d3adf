import { createHash } from "node:crypto";
import { Secret } from "../core/secret.js";
import type { Plan } from "./plan-format.js";

/** JSON text with the members of every object in one order: equal values, equal bytes. Secrets print as a mask. */
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

/** The checksum of a plan, over everything but the hash itself and the tool's version. It is not a signature. */
export function hashPlan(plan: Omit<Plan, "hash" | "toolVersion">): string {
  const { hash: _hash, toolVersion: _version, ...rest } = plan as Plan;
  return fingerprint(rest);
}
