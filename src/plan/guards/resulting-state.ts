import type { Spec } from "../../json.js";
import type { Kind } from "../../kinds/kind.js";
import type { Address } from "../../kinds/names.js";
import type { LiveIndex, LiveResource } from "../live-index.js";
import type { ResourceChange } from "../resource-change.js";

/** One resource as it stands when the plan has been applied. */
export interface ResultingResource {
  readonly kind: Kind;
  readonly spec: Spec;
  /** Null when it is made by the plan. */
  readonly resource: LiveResource | null;
  /** Null when the plan doesn't speak of it. */
  readonly address: Address | null;
  /** Its marker is taken off: it stays as it is and is nobody's. */
  readonly orphaned: boolean;
}

/** Everything that stands afterwards, and what is deleted. */
export interface ResultingState {
  readonly resources: readonly ResultingResource[];
  /** By instance key, the address under which it is deleted. */
  readonly deleted: ReadonlyMap<string, Address>;
}

/** The account as it will be. Linear in live and desired resources. */
export function resultingState(works: readonly ResourceChange[], index: LiveIndex): ResultingState {
  const deleted = new Map<string, Address>();
  const spoken = new Set<string>();
  const standing: ResultingResource[] = [];
  for (const work of works) {
    for (const { key } of work.deleted) deleted.set(key, work.address);
    if (work.result === null) continue;
    const { spec, resource } = work.result;
    if (resource !== null) spoken.add(resource.key);
    standing.push({
      kind: work.kind,
      spec,
      resource,
      address: work.address,
      orphaned: work.change?.action === "orphan",
    });
  }
  for (const resource of index.all) {
    const key = resource.key;
    if (deleted.has(key) || spoken.has(key)) continue;
    standing.push({ kind: resource.kind, spec: resource.spec, resource, address: null, orphaned: false });
  }
  return { resources: standing, deleted };
}

/** How a standing resource is named for people. */
export function nameOfResulting({ kind, resource, address }: ResultingResource): string {
  if (address !== null) return address;
  if (resource === null) return kind.title;
  const owner = resource.marker === null ? "which nobody owns" : `of stack ${JSON.stringify(resource.marker.stack)}`;
  return `${kind.title} ${resource.id} (${owner})`;
}
