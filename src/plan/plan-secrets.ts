import type { Spec, Value, ValueObject } from "../core/json.js";
import type { Address } from "../kinds/names.js";
import { SecretPolicy } from "../kinds/policy/secret-policy.js";
import type { Manifest } from "../manifest/manifest.js";
import { Secret } from "../core/secret.js";
import type { Operation, Plan, UnavailableSecret } from "./plan-format.js";
import type { ProposedState } from "./proposed-state.js";

/** The secrets in some fields of a spec that can't be read here. */
export function unavailableSecrets(address: Address, spec: Spec, fields: Iterable<string>): UnavailableSecret[] {
  return [...fields].flatMap((name) => unavailableSources(spec[name] ?? null).map((source) => ({ address, source })));
}

/** The sources of the secrets in a value that can't be read here. */
export function unavailableSources(value: Value): readonly string[] {
  if (value instanceof SecretPolicy) return value.unavailable;
  if (value instanceof Secret) return value.missing === null ? [] : [value.source];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap((member: Value | undefined) => unavailableSources(member ?? null));
}

/**
 * The manifests as they were when some of their secrets could not be read, even if they can be read now. A plan job
 * often has no secrets while an apply job has them: without this, the two would never make the same plan.
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
export function secretSources(operations: readonly Operation[], proposed: readonly ProposedState[]): Plan["secrets"] {
  const found: Record<string, { readonly file: string; readonly fingerprint: string }> = {};
  const bound = operations.flatMap(({ bind }) =>
    Object.values(bind).flatMap((binding) => ("secret" in binding ? [binding.secret] : [])),
  );
  if (bound.length === 0) return found;
  const manifests = new Map<string, Manifest>(proposed.map(({ match }) => [match.address, match.manifest]));
  for (const reference of bound) {
    const manifest = manifests.get(ownerOf(reference));
    if (manifest === undefined) continue;
    found[reference] = { file: manifest.source.file, fingerprint: manifest.fingerprint };
  }
  return found;
}

/** Begins the path in a reference to a live secret: `TLSEdge/x#live.traffic_policy.value`. No field has this name. */
export const livePrefix = "live.";

/**
 * How a plan names a secret: `TLSCertificate/x#private_key_pem`.
 * @param path below `spec`
 * @param live the secret is the service's own, which no manifest gives
 */
export function secretReference(address: Address, path: string, live: boolean): string {
  return `${address}#${live ? livePrefix : ""}${path}`;
}

/** The address in a secret reference. */
export function ownerOf(reference: string): string {
  return reference.slice(0, reference.indexOf("#"));
}

/** The path of the secret below `spec` in a reference. */
export function pathInReference(reference: string): string {
  return reference.slice(reference.indexOf("#") + 1);
}
