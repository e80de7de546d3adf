import { isObject } from "../json.js";
import type { Manifest } from "../manifest/manifest.js";
import { ownerOf, pathInReference } from "../plan/secret-sources.js";
import { Secret } from "../secret.js";

/** Finds the secret that a plan's reference (`TLSCertificate/api#private_key_pem`) stands for, in the manifests. */
export function secretResolver(manifests: readonly Manifest[]): (reference: string) => Secret {
  const specs = new Map<string, unknown>(manifests.map(({ address, spec }) => [address, spec]));
  return (reference) => {
    let value: unknown = specs.get(ownerOf(reference));
    for (const member of pathInReference(reference).split(".")) value = isObject(value) ? value[member] : undefined;
    return value instanceof Secret ? value : Secret.unavailable(reference, "no manifest gives it");
  };
}
