import { type JsonObject, type ValueObject, isObject } from "../core/json.js";
import { type Address, type ListedKind, forListedKinds, kindOf, listedKinds } from "../kinds/names.js";
import { readWire } from "../kinds/normal-form.js";
import { SecretPolicy } from "../kinds/policy/policy-codec.js";
import { hasUnnamedSources } from "../kinds/policy/secret-places.js";
import { kinds } from "../kinds/registry.js";
import { fingerprint } from "./canonical-json.js";
import { withoutIgnored } from "./defaults.js";
import {
  type LiveIndex,
  type LiveResource,
  addressOfLive,
  indexLive,
  instanceKey,
  mayReferTo,
  referencesOf,
  referrersAmong,
} from "./live-index.js";
import type { Expectation, Operation, Precondition } from "./plan-format.js";
import type { PlannedOperation, ResourceChange } from "./resource-change.js";

export function referringKinds({ address, kind }: Pick<Operation, "address" | "kind">): readonly ListedKind[] {
  return kind === "delete" ? listedKinds.filter((one) => mayReferTo(one, kindOf(address))) : [];
}

export function expectationsIn(index: LiveIndex): (operation: PlannedOperation) => Expectation | null {
  let referrers: ReturnType<typeof referrersAmong<LiveResource>> | null = null;
  return (operation) => {
    const { address, destroys, kind, path, resourceId } = operation;
    if (destroys === null && kind !== "module-delete") return null;
    const key = destroys ?? instanceKey(kindOf(address), resourceId ?? "");
    const resource = index.byInstance.get(key);
    if (resource === undefined) return null;
    if (destroys === null) return { fingerprint: moduleFingerprint(resource, path) };
    if (referringKinds(operation).length === 0) return { fingerprint: resourceFingerprint(resource) };
    referrers ??= referrersAmong(index.all, index);
    return { fingerprint: resourceFingerprint(resource), referrers: idsOf(referrers.get(key)) };
  };
}

/** In words; null = live is as expected. */
export function changeSince(
  { address, expects, kind, path }: Operation,
  wire: ValueObject,
  lists: { readonly [K in ListedKind]?: readonly JsonObject[] },
): string | null {
  if (expects === undefined) return null;
  const name = kindOf(address);
  if (kind === "module-delete") {
    const module = path.slice(path.lastIndexOf("/") + 1);
    const { spec } = readWire(kinds[name], { [module]: wire });
    return moduleFingerprint({ spec }, path) === expects.fingerprint ? null : `its ${module} differs from the plan`;
  }
  const found = forListedKinds((one) => (one === name ? [wire as JsonObject] : (lists[one] ?? [])));
  const index = indexLive({ lists: found, modules: [] }, { stack: "", previousStacks: [] });
  const resource = index.all.find((one) => one.kind.kind === name);
  if (resource === undefined || resourceFingerprint(resource) !== expects.fingerprint)
    return "it differs from what the plan was made from";
  const known = new Set(expects.referrers);
  const added = idsOf(referrersAmong(index.all, index).get(resource.key)).filter((id) => !known.has(id));
  return added.length === 0 ? null : `${added.join(", ")} refers to it now`;
}

export function preconditionsOf(changed: readonly ResourceChange[], index: LiveIndex): readonly Precondition[] {
  const found = new Map<string, Precondition>();
  const rely = (resource: LiveResource, ignore: readonly string[], address: Address): void => {
    const precondition = { address, id: resource.id, fingerprint: resourceFingerprint(resource, ignore) };
    found.set(resource.key, { ...precondition, ...(ignore.length === 0 ? {} : { ignore }) });
  };
  const used = changed.flatMap(({ kind, result }) => (result === null ? [] : referencesOf(kind, result.spec, index)));
  for (const key of used) {
    const resource = index.byInstance.get(key);
    if (resource !== undefined) rely(resource, [], addressOfLive(resource));
  }
  for (const change of changed) {
    const ignore = [...change.ignore, ...policiesWithSources(change)];
    for (const resource of change.touched) rely(resource, ignore, change.address);
  }
  return [...found.values()];
}

/** Only the manifest knows which of the live texts are secrets. */
function policiesWithSources({ result }: ResourceChange): readonly string[] {
  return Object.entries(result?.spec ?? {}).flatMap(([field, module]) =>
    Object.entries(isObject(module) ? module : {}).flatMap(([member, value]) =>
      value instanceof SecretPolicy && hasUnnamedSources(value.document) ? [`spec.${field}.${member}`] : [],
    ),
  );
}

function resourceFingerprint({ id, kind, marker, spec }: LiveResource, ignore: readonly string[] = []): string {
  return fingerprint({ kind: kind.kind, id, marker, spec: withoutIgnored(spec, ignore) });
}

function moduleFingerprint({ spec }: Pick<LiveResource, "spec">, path: string): string {
  return fingerprint(spec[path.slice(path.lastIndexOf("/") + 1)]);
}

function idsOf(referrers: readonly { readonly resource: LiveResource }[] = []): readonly string[] {
  return [...new Set(referrers.map(({ resource }) => resource.id))].toSorted();
}
