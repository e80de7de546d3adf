import { isObject } from "../core/json.js";
import type { Address } from "../kinds/names.js";
import { SecretPolicy } from "../kinds/policy/secret-policy.js";
import { hasUnnamedSources } from "../kinds/policy/source-places.js";
import { withoutIgnored } from "./apply-defaults.js";
import { fingerprint } from "./canonical-json.js";
import { type LiveIndex, type LiveResource, addressOfLive, referencesOf } from "./live-index.js";
import type { Precondition } from "./plan-format.js";
import type { ResourceChange } from "./resource-change.js";

/**
 * What the plan relies on: every live resource that it touches or refers to.
 * @param changed resources with a change
 */
export function preconditionsOf(changed: readonly ResourceChange[], index: LiveIndex): readonly Precondition[] {
  const found = new Map<string, Precondition>();
  const add = (resource: LiveResource, ignore: readonly string[], address: Address): void => {
    const key = resource.key;
    found.set(key, {
      address,
      id: resource.id,
      fingerprint: fingerprintOf(resource, ignore),
      ...(ignore.length === 0 ? {} : { ignore }),
    });
  };
  for (const { kind, result } of changed) {
    if (result === null) continue;
    for (const key of referencesOf(kind, result.spec, index)) {
      const resource = index.byInstance.get(key);
      // Many may refer to one: its fingerprint is computed once.
      if (resource !== undefined && !found.has(resource.key)) add(resource, [], addressOfLive(resource));
    }
  }
  for (const change of changed) {
    const ignore = [...change.ignore, ...policiesWithSources(change)];
    for (const resource of change.touched) add(resource, ignore, change.address);
  }
  return [...found.values()];
}

/** Paths of policies with secrets under unsuspicious names: only the manifest knows which of the live texts they are. */
function policiesWithSources({ result }: ResourceChange): readonly string[] {
  return Object.entries(result?.spec ?? {}).flatMap(([field, module]) => {
    if (!isObject(module)) return [];
    return Object.keys(module).flatMap((member) => {
      const value = module[member];
      return value instanceof SecretPolicy && hasUnnamedSources(value.document) ? [`spec.${field}.${member}`] : [];
    });
  });
}

/** `sha256:…` of a live resource's normal form and marker, without ignored fields, secrets and computed members. */
function fingerprintOf(resource: LiveResource, ignore: readonly string[]): string {
  const spec = withoutIgnored(resource.spec, ignore);
  return fingerprint({ kind: resource.kind.kind, id: resource.id, marker: resource.marker, spec });
}
