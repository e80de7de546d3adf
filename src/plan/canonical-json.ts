import { nodeCrypto } from "../node-crypto.js";
import { Secret } from "../secret.js";
import type { Plan } from "./plan-format.js";

/** JSON text with the members of every object in one order: equal values, equal bytes. Secrets print as a mask. */
export function canonicalJson(value: unknown): string {
  if (typeof value === "string") return quoted(value);
  if (value instanceof Secret) return quoted(value.toJSON());
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item ?? null)).join(",")}]`;
  if (typeof value === "object" && value !== null) {
    const object = value as { readonly [member: string]: unknown };
    let members = "";
    for (const name of Object.keys(object).sort()) {
      const member = object[name];
      if (member !== undefined) members += `${members === "" ? "" : ","}${quoted(name)}:${canonicalJson(member)}`;
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
  return `sha256:${nodeCrypto().createHash("sha256").update(canonicalJson(value), "utf8").digest("hex")}`;
}

/** How much text is hashed at once, in UTF-16 code units. */
const pieceLength = 65_536;

/** As {@link fingerprint}, for an object with very long lists: their canonical JSON is never in memory as a whole. */
export function fingerprintOfLarge(value: { readonly [member: string]: unknown }): string {
  const hash = nodeCrypto().createHash("sha256");
  let separator = "{";
  for (const name of Object.keys(value).sort()) {
    const member = value[name];
    if (member === undefined) continue;
    hash.update(`${separator}${JSON.stringify(name)}:`, "utf8");
    separator = ",";
    if (Array.isArray(member)) {
      let text = "[";
      for (const [index, item] of member.entries()) {
        text += `${index === 0 ? "" : ","}${canonicalJson(item ?? null)}`;
        if (text.length < pieceLength) continue;
        hash.update(text, "utf8");
        text = "";
      }
      hash.update(`${text}]`, "utf8");
    } else hash.update(canonicalJson(member), "utf8");
  }
  hash.update(separator === "{" ? "{}" : "}");
  return `sha256:${hash.digest("hex")}`;
}

/** The checksum of a plan, over everything but the hash itself and the tool's version. It is not a signature. */
export function hashPlan(plan: Omit<Plan, "hash" | "toolVersion">): string {
  const { hash: _hash, toolVersion: _version, ...rest } = plan as Plan;
  return fingerprintOfLarge(rest);
}
