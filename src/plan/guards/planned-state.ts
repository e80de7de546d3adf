import type { Spec } from "../../core/json.js";
import type { Kind } from "../../kinds/kind.js";
import type { Address } from "../../kinds/names.js";
import type { Manifest } from "../../manifest/manifest.js";
import { type LiveIndex, type LiveResource, addressOfLive } from "../live-index.js";
import type { Ordered } from "../order.js";
import type { ProposedState } from "../proposed-state.js";
import type { ResourceChange } from "../resource-change.js";

export interface PlannedState {
  /** Selected or not. */
  readonly manifests: readonly Manifest[];
  /** What the selected manifests ask for. */
  readonly proposed: readonly ProposedState[];
  /** Selected resources with something to do. */
  readonly changed: readonly ResourceChange[];
  readonly ordered: Ordered;
  readonly resulting: readonly ResultingResource[];
}

export interface ResultingResource {
  readonly kind: Kind;
  readonly spec: Spec;
  /** Null when the plan makes it. */
  readonly resource: LiveResource | null;
  /** Null when the plan does not concern it. */
  readonly address: Address | null;
  readonly orphaned: boolean;
}

/** `changes`: one for each selected resource, unchanged ones too. */
export function resultingState(changes: readonly ResourceChange[], index: LiveIndex): readonly ResultingResource[] {
  const planned = changes.flatMap(({ address, change, kind, result }): ResultingResource[] =>
    result === null ? [] : [{ kind, ...result, address, orphaned: change?.action === "orphan" }],
  );
  const concerned = new Set(changes.flatMap(({ deleted }) => deleted.map(({ key }) => key)));
  for (const { resource } of planned) if (resource !== null) concerned.add(resource.key);
  const others = index.all.filter(({ key }) => !concerned.has(key));
  return [
    ...planned,
    ...others.map((resource) => ({
      kind: resource.kind,
      spec: resource.spec,
      resource,
      address: null,
      orphaned: false,
    })),
  ];
}

export function nameOfResulting({ kind, resource, address }: ResultingResource): string {
  if (address !== null) return address;
  if (resource === null) return kind.title;
  if (resource.owned) return addressOfLive(resource);
  const owner = resource.marker === null ? "which no stack owns" : `of stack ${JSON.stringify(resource.marker.stack)}`;
  return `${kind.title} ${resource.id} (${owner})`;
}
