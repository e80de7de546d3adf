import type { Deletion, Kind } from "../../kinds/kind.js";
import { type Address, kindOf, listedKinds } from "../../kinds/names.js";
import { kinds } from "../../kinds/registry.js";
import type { Live } from "../../live/live.js";
import { type LiveResource, deletionOf, push, referrersAmong } from "../live-index.js";
import type { MaxDeletes } from "../options.js";
import type { OperationContext, PlanContext } from "../plan-context.js";
import { type PlannedState, type ResultingResource, nameOfResulting, resultingState } from "./planned-state.js";

/** Refuses to delete what something still refers to afterwards (`still-referenced`), and warns of unseen referrers. */
export function checkReferrers({ changed, changes }: PlannedState, { index, findings }: PlanContext): void {
  if (changed.every((change) => change.deleted.length === 0)) return;
  const { resources, deleted } = resultingState(changes, index);
  const referrers = referrersAmong(resources, index);
  const left = new Map<Address, ResultingResource[]>();
  for (const [key, address] of deleted)
    for (const { resource } of referrers.get(key) ?? []) push(left, address, resource);
  for (const [address, resources] of left) {
    const names = new Set(resources.map(nameOfResulting));
    const stacks = new Set(resources.flatMap(({ resource }) => resource?.marker?.stack ?? []));
    findings.refuse(
      "still-referenced",
      address,
      `${[...names].join(", ")} still ${names.size === 1 ? "refers" : "refer"} to it`,
      "point the referrer elsewhere, delete it first, or keep this manifest; if a module can only be disabled and the service has DELETE for it, list it in api.moduleEndpoints; to leave it dangling on purpose, {allow}",
      resources.every(isOthers) ? { stacks: [...stacks].toSorted() } : {},
    );
  }
  for (const address of new Set(deleted.values())) {
    const hidden = kinds[kindOf(address)].hiddenReferrers;
    if (hidden === undefined) continue;
    findings.warn("referrers-invisible", `${hidden} may still refer to it: the API can't list them`, address);
  }
}

/** Whether a resource is another stack's or nobody's. */
function isOthers({ address, resource }: ResultingResource): boolean {
  return address === null && resource?.owned === false;
}

/** Refuses more deletes than the stack allows at once (`too-many-deletes`). */
export function checkDeletes({ changed, owned }: PlannedState, { findings, options }: PlanContext): void {
  const deletes = changed.reduce((sum, change) => sum + change.deleted.length, 0);
  const bound = deleteBound(options.maxDeletes, owned.length);
  if (deletes <= bound) return;
  findings.refuse(
    "too-many-deletes",
    null,
    `${deletes} resources would be deleted (replacements included), but at most ${bound} of the ${owned.length} that the stack owns may be`,
    `check that no manifest is missing; if this is intended, raise the limit with --max-deletes ${deletes}`,
  );
}

/** How many deletes pass when the configuration doesn't say: the larger of both. */
export const defaultMaxDeletes = { count: 3, percent: 25 } as const;

/** How many deletes pass: the given number or share, rounded down. */
export function deleteBound(max: MaxDeletes | null, owned: number): number {
  const { count, percent } = defaultMaxDeletes;
  if (max === null) return Math.max(count, deleteBound({ percent }, owned));
  return "count" in max ? max.count : Math.floor((owned * max.percent) / 100);
}

/** Refuses to delete a whole stack because there are no manifests: a wrong directory is the likelier cause. */
export function checkEmpty({ manifests, owned }: PlannedState, { findings, options }: PlanContext): void {
  const listed: ReadonlySet<string> = new Set(listedKinds);
  if (options.destroy || options.allowEmpty || !options.prune || owned.length === 0) return;
  if (manifests.some((manifest) => listed.has(manifest.kind))) return;
  findings.refuse(
    "empty-desired",
    null,
    `there are no manifests, and the stack owns ${owned.length} live ${owned.length === 1 ? "resource" : "resources"} that would be deleted`,
    "check which manifests the configuration names; to delete everything, use --allow-empty or the destroy command",
  );
}

/** Whether resources of a kind are not deleted: the list of what may refer to them can't be read. */
export function isSheltered({ kind }: Kind, { unreadable }: Live): boolean {
  return unreadable.some((one) => kinds[one.kind].fieldList.some(({ field }) => field.codec.refersTo?.includes(kind)));
}

/**
 * Refuses the delete of a resource that is protected (`deletion-protected`), cannot be recovered, or is sheltered.
 * @param desired what the manifest says of deletion; absent when there is none
 */
export function guardDelete(
  { kind, address, findings, live }: OperationContext,
  resource: LiveResource,
  desired?: Deletion,
): void {
  if (isSheltered(kind, live)) {
    // About no address, as naming one doesn't lift it.
    findings.refuse(
      "still-referenced",
      null,
      `${address}: ${resource.id} would be deleted, but the resources that may refer to it can't be read`,
      "use a key that can read them; or keep what is replaced with lifecycle.replaced: orphan, and delete duplicates yourself",
    );
  }
  const marked = deletionOf(resource);
  if (marked === "protect" || desired === "protect") {
    findings.refuse(
      "deletion-protected",
      address,
      `${resource.id} is protected from deletion${marked === "protect" && desired !== "protect" ? " by its marker" : ""}`,
      "keep its manifest; or set lifecycle.deletion: delete (or orphan) in it and apply that first; to delete it anyway, {allow}",
    );
  }
  for (const hazard of kind.hazards?.(resource.spec, null) ?? []) {
    findings.refuse(hazard.code, address, hazard.message, hazard.remedy);
  }
}
