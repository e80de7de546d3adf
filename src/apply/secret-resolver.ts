import { isObject } from "../json.js";
import type { Manifest } from "../manifest/manifest.js";
import { Secret } from "../secret.js";

/** Finds the secret that a plan's reference (`TLSCertificate/api#private_key_pem`) stands for, in the manifests. */
export function secretResolver(manifests: readonly Manifest[]): (reference: string) => Secret {
  const specs = new Map<string, unknown>(manifests.map(({ address, spec }) => [address, spec]));
  return (reference) => {
    const hash = reference.indexOf("#");
    let value: unknown = specs.get(reference.slice(0, hash));
    for (const member of reference.slice(hash + 1).split(".")) value = isObject(value) ? value[member] : undefined;
    return value instanceof Secret ? value : Secret.unavailable(reference, "no manifest gives it");
  };
}
