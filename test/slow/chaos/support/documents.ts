import { type Value, isObject } from "../../../../src/core/json.ts";
import type { Manifest } from "../../../../src/manifest/manifest.ts";
import { Secret } from "../../../../src/core/secret.ts";

/** Manifests as a file for the program: JSON documents, which are valid YAML. */
export function documents(manifests: readonly Manifest[]): string {
  return manifests.map((one) => `${JSON.stringify(document(one))}\n`).join("---\n");
}

function document({ kind, name, id, previousNames, lifecycle, spec }: Manifest): object {
  return {
    apiVersion: "edgewise/v1",
    kind,
    metadata: { name, ...(id === null ? {} : { id }), ...(previousNames.length === 0 ? {} : { previousNames }) },
    lifecycle,
    spec: written(spec),
  };
}

function written(value: Value): unknown {
  if (value instanceof Secret) return { env: value.source.replace("env ", "") };
  if (Array.isArray(value)) return value.map((item: Value) => written(item));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, written(member as Value)]));
}
