import { type Spec, type Value, isObject } from "../json.js";
import { type Address, addressOf } from "../kinds/names.js";
import { SecretPolicy } from "../kinds/policy/secret-policy.js";
import { hasUnnamedSources } from "../kinds/policy/source-places.js";
import { fingerprint } from "./canonical-json.js";
import { type LiveIndex, type LiveResource, referencesOf } from "./live-index.js";
import type { Precondition } from "./plan-format.js";
import type { ResourceChange } from "./resource-change.js";

/** What the plan relies on: every live resource that it touches, refers to or takes something from. */
export function preconditionsOf(works: readonly ResourceChange[], index: LiveIndex): readonly Precondition[] {
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
  const busy = works.filter((work) => work.change !== null);
  for (const work of busy) {
    if (work.result === null) continue;
    for (const key of referencesOf(work.kind, work.result.spec, index)) {
      const resource = index.byInstance.get(key);
      // Many may refer to one: what it was is written down once.
      if (resource !== undefined && !found.has(resource.key)) add(resource, [], addressOfLive(resource));
    }
  }
  for (const work of busy) {
    const ignore = [...work.ignore, ...policiesWithSources(work)];
    for (const resource of work.touched) add(resource, ignore, work.address);
  }
  return [...found.values()];
}

/** Policies with sources under names that don't tell: only the manifest knows which of the live texts are secrets. */
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
  let spec: Spec = resource.spec;
  for (const path of ignore) spec = without(spec, path);
  return fingerprint({ kind: resource.kind.kind, id: resource.id, marker: resource.marker, spec });
}

/** How a live resource is named when no manifest speaks of it. */
export function addressOfLive(resource: LiveResource): Address {
  if (resource.owned && resource.marker !== null) return addressOf(resource.kind.kind, resource.marker.name);
  return addressOf(resource.kind.kind, resource.id);
}

function without(spec: Spec, path: string): Spec {
  const [root, field, member] = path.split(".");
  if (root !== "spec" || field === undefined) return spec;
  const { [field]: value, ...rest } = spec;
  if (member === undefined || !isObject(value)) return member === undefined ? rest : spec;
  const { [member]: _ignored, ...kept } = value as { readonly [name: string]: Value };
  return { ...rest, [field]: kept };
}
