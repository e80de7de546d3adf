import type { Spec, Value, ValueObject } from "../json.js";
import type { Address } from "../kinds/names.js";
import { SecretPolicy } from "../kinds/policy/secret-policy.js";
import type { Manifest } from "../manifest/manifest.js";
import { Secret } from "../secret.js";
import type { Operation, Plan, UnavailableSecret } from "./plan-format.js";
import type { ProposedState } from "./proposed-state.js";

/** The secrets in some fields of a spec that can't be read here. */
export function unavailableSecrets(address: Address, spec: Spec, fields: Iterable<string>): UnavailableSecret[] {
  const found: UnavailableSecret[] = [];
  const visit = (value: Value): void => {
    if (value instanceof SecretPolicy) {
      for (const source of value.unavailable) found.push({ address, source });
    } else if (value instanceof Secret) {
      if (value.missing !== null) found.push({ address, source: value.source });
    } else if (isList(value)) value.forEach(visit);
    else if (isMap(value)) for (const member of Object.values(value)) visit(member ?? null);
  };
  for (const name of fields) visit(spec[name] ?? null);
  return found;
}

/**
 * The manifests as they were when some of their secrets could not be read, even if they can be read now. A plan job
 * often has no secrets and an apply job has them: without this they would never make the same plan.
 */
export function withoutSecrets(
  manifests: readonly Manifest[],
  unavailable: readonly UnavailableSecret[],
): readonly Manifest[] {
  const sources = new Map<Address, Set<string>>();
  for (const { address, source } of unavailable) sources.set(address, (sources.get(address) ?? new Set()).add(source));
  return manifests.map((manifest) => {
    const hidden = sources.get(manifest.address);
    return hidden === undefined ? manifest : { ...manifest, spec: hideIn(manifest.spec, hidden) };
  });
}

function hide(value: Value, sources: ReadonlySet<string>): Value {
  if (value instanceof Secret) {
    if (!sources.has(value.source)) return value;
    return Secret.unavailable(value.source, "it was not available when the plan was made");
  }
  if (isList(value)) return value.map((item) => hide(item, sources));
  return isMap(value) ? hideIn(value, sources) : value;
}

function hideIn(object: ValueObject, sources: ReadonlySet<string>): ValueObject {
  return Object.fromEntries(
    Object.entries(object).map(([name, member]) => [name, member === undefined ? member : hide(member, sources)]),
  );
}

function isList(value: Value): value is readonly Value[] {
  return Array.isArray(value);
}

function isMap(value: Value): value is ValueObject {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Secret);
}

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
