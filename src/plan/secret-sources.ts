import type { Operation, Plan } from "./plan.js";
import type { Target } from "./target.js";

/** The manifests that the secrets of some operations come from: a saved plan is refused when one has changed. */
export function secretSources(operations: readonly Operation[], targets: readonly Target[]): Plan["secrets"] {
  const manifests = new Map<string, Target["match"]["manifest"]>(
    targets.map(({ match }) => [match.address, match.manifest]),
  );
  const found: Record<string, { readonly file: string; readonly fingerprint: string }> = {};
  for (const binding of operations.flatMap((operation) => Object.values(operation.bind))) {
    if (!("secret" in binding)) continue;
    const manifest = manifests.get(ownerOf(binding.secret));
    if (manifest === undefined) continue;
    found[binding.secret] = { file: manifest.source.file, fingerprint: manifest.fingerprint };
  }
  return found;
}

/** The address in a secret reference (`TLSCertificate/x#private_key_pem`). */
export function ownerOf(reference: string): string {
  return reference.slice(0, reference.indexOf("#"));
}

/** The path of the secret below `spec` in a reference. */
export function pathInReference(reference: string): string {
  return reference.slice(reference.indexOf("#") + 1);
}
