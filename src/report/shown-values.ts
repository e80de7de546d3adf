import type { Value } from "../json.js";
import { specFromManifest } from "../kinds/normal-form.js";
import { SecretPolicy } from "../kinds/policy/secret-policy.js";
import { kinds } from "../kinds/registry.js";
import type { Manifest } from "../manifest/manifest.js";
import { parseJson } from "../parse-json.js";
import { Secret } from "../secret.js";
import { describePem, isPem } from "./values.js";

/**
 * The values of manifests that outputs show, without secrets: fields in normal form (lower-case header names), policies
 * as documents, certificates by their names. Manifests can write each of them in several ways, so they are decoded first.
 */
export function* shownValues(manifests: readonly Manifest[]): Generator {
  for (const { kind, spec } of manifests) yield* shown(specFromManifest(kinds[kind], spec));
}

function* shown(value: Value | undefined): Generator {
  if (value instanceof SecretPolicy) yield* shown(value.toJSON());
  else if (value instanceof Secret) return;
  else if (typeof value === "string") yield* shownText(value);
  else if (typeof value !== "object" || value === null) yield value;
  else {
    if (!Array.isArray(value)) yield Object.keys(value);
    for (const part of Object.values(value)) yield* shown(part as Value);
  }
}

function* shownText(text: string): Generator {
  yield text;
  if (isPem(text)) yield describePem(text);
  if (!/^\s*[[{]/u.test(text)) return;
  const parsed = parseJson(text);
  if ("value" in parsed) yield parsed.value;
}
