import { createHash } from "node:crypto";
import { isObject } from "../core/json.js";
import { Secret } from "../core/secret.js";
import type { ManifestDocument } from "../generated/manifest-types.js";
import type { ListedKind } from "../kinds/names.js";
import { specFromManifest } from "../kinds/normal-form.js";
import { kinds } from "../kinds/registry.js";
import type { LoadOptions } from "./load-options.js";
import type { Manifest } from "./manifest.js";
import { type ParsedManifest, adoptedId } from "./parsed-manifest.js";

/** The members that all kinds share, in their widest form. */
type SharedMembers = Pick<Extract<ManifestDocument, { kind: ListedKind }>, "metadata" | "lifecycle">;

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
    labels: { ...metadata.labels } as Manifest["labels"],
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
