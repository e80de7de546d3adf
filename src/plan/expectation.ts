import type { JsonObject, ValueObject } from "../core/json.js";
import { type ListedKind, forListedKinds, kindOf, listedKinds } from "../kinds/names.js";
import { readWire } from "../kinds/normal-form.js";
import { kinds } from "../kinds/registry.js";
import { fingerprint } from "./canonical-json.js";
import { type LiveIndex, type LiveResource, indexLive, instanceKey, referrersAmong } from "./live-index.js";
import type { Operation } from "./plan-format.js";
import type { PlannedOperation } from "./resource-change.js";

/** What an operation that removes something relies on: it is not sent when live says anything else right before. */
export interface Expectation {
  /** `sha256:…` over the normal form of the resource, or of the module, without secrets. */
  readonly fingerprint: string;
  /** Ids of what referred to the resource; absent when nothing can. */
  readonly referrers?: readonly string[];
}

/** The kinds whose resources may refer to what an operation deletes. */
export function referringKinds({ address, kind }: Pick<Operation, "address" | "kind">): readonly ListedKind[] {
  const referred = kindOf(address);
  const refers = (one: ListedKind): boolean =>
    kinds[one].fieldList.some(({ field }) => field.codec.refersTo?.includes(referred) === true);
  return kind === "delete" ? listedKinds.filter(refers) : [];
}

/** Tells what each operation that deletes, orphans or removes a module relies on; null for all others. */
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

/**
 * How live differs from what an operation relies on, in words; null = it does not.
 * @param wire the response to a GET of the operation's path
 * @param lists the resources of {@link referringKinds}
 */
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

function resourceFingerprint({ id, kind, marker, spec }: LiveResource): string {
  return fingerprint({ kind: kind.kind, id, marker, spec });
}

function moduleFingerprint({ spec }: Pick<LiveResource, "spec">, path: string): string {
  return fingerprint(spec[path.slice(path.lastIndexOf("/") + 1)]);
}

function idsOf(referrers: readonly { readonly resource: LiveResource }[] = []): readonly string[] {
  return [...new Set(referrers.map(({ resource }) => resource.id))].toSorted();
}
