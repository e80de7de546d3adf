import type { Value } from "../../json.js";
import { isSecretName } from "../../secret-names.js";
import { Secret } from "../../secret.js";
import { documentOf } from "./compare-policies.js";
import { mapSecrets } from "./map-secrets.js";

/** Shorter texts are part of too many words to be masked wherever they turn up. */
const shortest = 8;

/** The secrets that stand in a policy in clear; sources that a manifest names are none. */
export function clearTextsOf(policy: Value): readonly string[] {
  const document = documentOf(policy);
  if (document === undefined) return [];
  const found = new Set<string>();
  mapSecrets(document, (secret, _path, named) => {
    const parts = textsAndNamesIn(secret).flatMap((text) => secretPartsOf(text, named));
    for (const part of parts) if (part.length >= shortest) found.add(part);
    return secret;
  });
  return [...found];
}

/**
 * What of a text is the secret: the values of headers without their names, credentials without their scheme, the
 * password of an address. What is around them stands in other places, too, that hold no secret. A text under the name
 * of a secret is one as a whole; of other texts that hold one somewhere (a command, JSON) no part is known.
 */
function secretPartsOf(text: string, named: boolean): readonly string[] {
  if (text.includes("-----BEGIN")) return [text];
  const lines = text.split(/\r\n|\r|\n/u);
  const headers = lines.flatMap((line) => {
    const [, name = "", rest = ""] = header.exec(line) ?? [];
    return isSecretName(name) ? [withoutScheme(rest)] : [];
  });
  if (headers.length > 0) return headers;
  if (named) return [withoutScheme(text)];
  const passwords = [...text.matchAll(password)].map(([, found = ""]) => found);
  const queries = [...text.matchAll(query)].flatMap(([, name = "", value = ""]) => (isSecretName(name) ? [value] : []));
  if (passwords.length + queries.length > 0) return [...passwords, ...queries];
  const bare = withoutScheme(text);
  return bare === text ? [] : [bare];
}

function withoutScheme(text: string): string {
  return text.replace(/^\s*(?:bearer|basic|token)\s+(?=\S)/iu, "");
}

const header = /^\s*([\w-]{1,64})\s*:\s*(\S.*)$/u;

/** In an address: `https://user:password@host`. */
const password = /:\/\/[^\s/@:]{0,200}:([^\s/@]{1,1000})@/gu;

const query = /[?&]([\w-]{1,64})=([^&#\s]{1,1000})/gu;

/** Names of members, too: below the name of a secret they may be one. */
function textsAndNamesIn(value: Value | undefined): readonly string[] {
  if (typeof value === "string") return [value];
  if (typeof value === "number") return [String(value)];
  if (typeof value !== "object" || value === null || value instanceof Secret) return [];
  if (Array.isArray(value)) return (value as readonly Value[]).flatMap(textsAndNamesIn);
  return Object.entries(value).flatMap(([member, part]) => [member, ...textsAndNamesIn(part)]);
}
