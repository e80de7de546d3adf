import type { Spec } from "../../core/json.js";
import type { Kind } from "../../kinds/kind.js";
import type { Address } from "../../kinds/names.js";
import type { Manifest } from "../../manifest/manifest.js";
import { type LiveIndex, type LiveResource, addressOfLive } from "../live-index.js";
import type { Ordered } from "../order.js";
import type { ProposedState } from "../proposed-state.js";
import type { ResourceChange } from "../resource-change.js";

/** What guards check: a plan before it is rehearsed. */
export interface PlannedState {
  /** Every manifest, whether it is selected or not. */
  readonly manifests: readonly Manifest[];
  /** What the selected manifests ask for. */
  readonly proposed: readonly ProposedState[];
  /** One for each selected resource, unchanged ones too. */
  readonly changes: readonly ResourceChange[];
  /** Those of `changes` with something to do. */
  readonly changed: readonly ResourceChange[];
  readonly ordered: Ordered;
  /** Ids of every live resource of the stack. */
  readonly owned: readonly string[];
}

/** One resource as it stands when the plan has been applied. */
export interface ResultingResource {
  readonly kind: Kind;
  readonly spec: Spec;
  /** Null when the plan makes it. */
  readonly resource: LiveResource | null;
  /** Null when the plan does not concern it. */
  readonly address: Address | null;
  /** Its marker is removed: the resource stays and is unmanaged. */
  readonly orphaned: boolean;
}

/** Everything that stands afterwards, and what is deleted. */
export interface ResultingState {
  readonly resources: readonly ResultingResource[];
  /** By instance key, the address under which it is deleted. */
  readonly deleted: ReadonlyMap<string, Address>;
}

/** The account as it will be. Linear in live and desired resources. */
export function resultingState(changes: readonly ResourceChange[], index: LiveIndex): ResultingState {
  const deleted = new Map<string, Address>();
  const planned = new Set<string>();
  const resources: ResultingResource[] = [];
  for (const { address, change, deleted: gone, kind, result } of changes) {
    for (const { key } of gone) deleted.set(key, address);
    if (result === null) continue;
    const { spec, resource } = result;
    if (resource !== null) planned.add(resource.key);
    resources.push({ kind, spec, resource, address, orphaned: change?.action === "orphan" });
  }
  for (const resource of index.all) {
    const { key, kind, spec } = resource;
    if (deleted.has(key) || planned.has(key)) continue;
    resources.push({ kind, spec, resource, address: null, orphaned: false });
  }
  return { resources, deleted };
}

/** How a resulting resource is named for people. */
export function nameOfResulting({ kind, resource, address }: ResultingResource): string {
  if (address !== null) return address;
  if (resource === null) return kind.title;
  if (resource.owned) return addressOfLive(resource);
  const owner = resource.marker === null ? "which no stack owns" : `of stack ${JSON.stringify(resource.marker.stack)}`;
  return `${kind.title} ${resource.id} (${owner})`;
}
