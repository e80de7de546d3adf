import type { Operation, Plan } from "./plan.js";
import type { ProposedState } from "./target.js";

/** The manifests that the secrets of some operations come from: a saved plan is refused when one has changed. */
export function secretSources(operations: readonly Operation[], targets: readonly ProposedState[]): Plan["secrets"] {
  const found: Record<string, { readonly file: string; readonly fingerprint: string }> = {};
  const bound = operations.flatMap(({ bind }) => Object.values(bind).filter((binding) => "secret" in binding));
  if (bound.length === 0) return found;
  const manifests = new Map<string, ProposedState["match"]["manifest"]>(
    targets.map(({ match }) => [match.address, match.manifest]),
  );
  for (const binding of bound) {
    const manifest = manifests.get(ownerOf(binding.secret));
    if (manifest === undefined) continue;
    found[binding.secret] = { file: manifest.source.file, fingerprint: manifest.fingerprint };
  }
  return found;
}

/** Begins the path in a reference to what is live: `TLSEdge/x#live.traffic_policy.value`. No field is called so. */
export const livePrefix = "live.";

/** The address in a secret reference (`TLSCertificate/x#private_key_pem`). */
export function ownerOf(reference: string): string {
  return reference.slice(0, reference.indexOf("#"));
}

/** The path of the secret below `spec` in a reference. */
export function pathInReference(reference: string): string {
  return reference.slice(reference.indexOf("#") + 1);
}
