import { createHash } from "node:crypto";
import { isObject } from "../core/json.js";
import { Secret } from "../core/secret.js";
import type { Deletion, Replaced } from "../kinds/kind.js";
import { specFromManifest } from "../kinds/normal-form.js";
import { kinds } from "../kinds/registry.js";
import type { LoadOptions } from "./load-options.js";
import type { Manifest } from "./manifest.js";
import { type ParsedManifest, adoptedId } from "./parsed-manifest.js";

/** What the schemas of all kinds share, as far as it becomes part of a manifest. */
interface SharedMembers {
  readonly metadata: {
    readonly labels?: Manifest["labels"] | null;
    readonly id?: string | null;
    readonly previousNames?: readonly string[] | null;
  };
  readonly lifecycle?: {
    readonly deletion?: Deletion | null;
    readonly replaced?: Replaced | null;
    readonly ignore?: readonly string[] | null;
  } | null;
}

/** The manifest of a valid document. @param adopt the configuration's ids by address */
export function toManifest(parsed: ParsedManifest, adopt: LoadOptions["adopt"]): Manifest {
  const { address, file, kind, line, name, spec } = parsed;
  // It passed the validation by its schema.
  const { lifecycle, metadata } = parsed.value as SharedMembers;
  const { deletion, ignore, replaced } = lifecycle ?? {};
  // In normal form every secret is wrapped, including those in plain text in a policy.
  const compared = { kind, metadata, lifecycle: lifecycle ?? {}, spec: specFromManifest(kinds[kind], spec) };
  return {
    kind,
    name,
    address,
    source: { file, line },
    labels: { ...metadata.labels },
    id: metadata.id ?? adoptedId(adopt, address),
    previousNames: metadata.previousNames ?? [],
    lifecycle: {
      ...(deletion === undefined || deletion === null ? {} : { deletion }),
      ...(replaced === undefined || replaced === null ? {} : { replaced }),
      ignore: ignore ?? [],
    },
    spec,
    fingerprint: `sha256:${createHash("sha256").update(canonical(compared), "utf8").digest("hex")}`,
  };
}

/**
 * Canonical JSON (members sorted) in which a secret is replaced by its source and its mask, so that no hash of a secret
 * ever leaves this program.
 */
function canonical(value: unknown): string {
  if (value instanceof Secret) return canonical({ secret: value.source, shown: value.toJSON() });
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (!isObject(value)) return JSON.stringify(value ?? null);
  const members = Object.keys(value)
    .sort()
    .filter((name) => value[name] !== undefined)
    .map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`);
  return `{${members.join(",")}}`;
}
