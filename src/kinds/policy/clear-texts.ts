import { isSecretName } from "../../secret-names.js";
import { Secret } from "../../secret.js";
import type { Value } from "../value.js";
import { documentOf } from "./compare-policies.js";
import { mapSecrets } from "./map-secrets.js";

/** Shorter texts are part of too many words to be masked wherever they turn up. */
const shortest = 8;

/** The secrets that stand in a policy in clear; sources that a manifest names are none. */
export function clearTextsOf(policy: Value): readonly string[] {
  const document = documentOf(policy);
  if (document === undefined) return [];
  const found = new Set<string>();
  mapSecrets(document, (secret) => {
    for (const text of textsIn(secret).map(withoutLabel)) if (text.length >= shortest) found.add(text);
    return secret;
  });
  return [...found];
}

/** A header's value without its name, and credentials without their scheme: these stand in other places that hold no secret. */
function withoutLabel(text: string): string {
  const [, name = "", rest = ""] = header.exec(text) ?? [];
  const value = isSecretName(name) ? rest : text;
  return value.replace(/^\s*(?:bearer|basic|token)\s+(?=\S)/iu, "");
}

const header = /^\s*([\w-]{1,64})\s*:\s*(\S[^]*)$/u;

/** Names of members, too: below the name of a secret they may be one. */
function textsIn(value: Value | undefined): readonly string[] {
  if (typeof value === "string") return [value];
  if (typeof value === "number") return [String(value)];
  if (typeof value !== "object" || value === null || value instanceof Secret) return [];
  if (Array.isArray(value)) return (value as readonly Value[]).flatMap(textsIn);
  return Object.entries(value).flatMap(([member, part]) => [member, ...textsIn(part)]);
}
