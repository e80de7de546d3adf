import { isObject } from "../json.js";
import { specFromManifest } from "../kinds/normal-form.js";
import { kinds } from "../kinds/registry.js";
import type { Manifest } from "../manifest/manifest.js";
import { livePrefix, ownerOf, pathInReference } from "../plan/plan-secrets.js";
import { Secret } from "../secret.js";

/** Finds the secret that a plan's reference (`TLSCertificate/api#private_key_pem`) stands for, in the manifests. */
export function secretResolver(manifests: readonly Manifest[]): (reference: string) => Secret {
  const byAddress = new Map<string, Manifest>(manifests.map((manifest) => [manifest.address, manifest]));
  return (reference) => {
    const path = pathInReference(reference);
    if (path.startsWith(livePrefix)) return Secret.unavailable("the service", unrepeatable);
    const manifest = byAddress.get(ownerOf(reference));
    let value: unknown = manifest === undefined ? null : specFromManifest(kinds[manifest.kind], manifest.spec);
    for (const member of path.split(".")) value = isObject(value) ? value[member] : undefined;
    return value instanceof Secret ? value : Secret.unavailable(reference, "no manifest gives it");
  };
}

const unrepeatable =
  "lifecycle.ignore keeps what is live, which holds secrets and would have to be sent again; name the whole module in lifecycle.ignore, or stop ignoring its value";
