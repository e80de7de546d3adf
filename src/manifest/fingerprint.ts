import { isObject } from "../json.js";
import { nodeCrypto } from "../node-crypto.js";
import { Secret } from "../secret.js";

/**
 * `sha256:…` of what a manifest says: canonical JSON (members sorted) in which a secret is its source and its mask,
 * so that no hash of a secret ever leaves this program.
 */
export function manifestFingerprint(value: unknown): string {
  return `sha256:${nodeCrypto().createHash("sha256").update(canonicalWithMaskedSecrets(value), "utf8").digest("hex")}`;
}

function canonicalWithMaskedSecrets(value: unknown): string {
  if (value instanceof Secret) return canonicalWithMaskedSecrets({ secret: value.source, shown: value.toJSON() });
  if (Array.isArray(value)) return `[${value.map(canonicalWithMaskedSecrets).join(",")}]`;
  if (!isObject(value)) return JSON.stringify(value ?? null);
  let members = "";
  for (const name of Object.keys(value).sort()) {
    const member = value[name];
    if (member !== undefined)
      members += `${members === "" ? "" : ","}${JSON.stringify(name)}:${canonicalWithMaskedSecrets(member)}`;
  }
  return `{${members}}`;
}
