import { isObject } from "../core/json.js";
import type { Address } from "../kinds/names.js";
import { SecretPolicy } from "../kinds/policy/policy-codec.js";
import { hasUnnamedSources } from "../kinds/policy/secret-places.js";
import { fingerprint } from "./canonical-json.js";
import { withoutIgnored } from "./defaults.js";
import { type LiveIndex, type LiveResource, addressOfLive, referencesOf } from "./live-index.js";
import type { Precondition } from "./plan-format.js";
import type { ResourceChange } from "./resource-change.js";

/**
 * What the plan relies on: every live resource that it refers to or touches.
 * @param changed resources with a change
 */
export function preconditionsOf(changed: readonly ResourceChange[], index: LiveIndex): readonly Precondition[] {
  const used = changed.flatMap(({ kind, result }) => (result === null ? [] : referencesOf(kind, result.spec, index)));
  const found = new Map<string, Precondition>();
  for (const key of new Set(used)) {
    const resource = index.byInstance.get(key);
    if (resource !== undefined) found.set(key, preconditionOf(resource, [], addressOfLive(resource)));
  }
  for (const change of changed) {
    const ignore = [...change.ignore, ...policiesWithSources(change)];
    for (const resource of change.touched) found.set(resource.key, preconditionOf(resource, ignore, change.address));
  }
  return [...found.values()];
}

/** The fingerprint covers normal form and marker, without ignored fields, secrets and computed members. */
function preconditionOf(resource: LiveResource, ignore: readonly string[], address: Address): Precondition {
  const { id, kind, marker } = resource;
  const spec = withoutIgnored(resource.spec, ignore);
  const hash = fingerprint({ kind: kind.kind, id, marker, spec });
  return { address, id, fingerprint: hash, ...(ignore.length === 0 ? {} : { ignore }) };
}

/** Paths of policies with secrets under unsuspicious names: only the manifest knows which of the live texts they are. */
function policiesWithSources({ result }: ResourceChange): readonly string[] {
  return Object.entries(result?.spec ?? {}).flatMap(([field, module]) =>
    Object.entries(isObject(module) ? module : {}).flatMap(([member, value]) =>
      value instanceof SecretPolicy && hasUnnamedSources(value.document) ? [`spec.${field}.${member}`] : [],
    ),
  );
}
