import type { Json, Spec } from "../core/json.js";
import type { Kind } from "../kinds/kind.js";
import type { Address } from "../kinds/names.js";
import type { Manifest } from "../manifest/manifest.js";
import { addressOfLive, type LiveIndex, type LiveResource } from "./live-index.js";
import type { Ordered } from "./order.js";
import type { Change, OperationRequest } from "./plan-format.js";
import type { ProposedState } from "./match.js";

export type ResourceChange = Readonly<{
  address: Address;
  kind: Kind;
  change: Change | null;
  sequence: readonly PlannedOperation[];
  /** Duplicates: either may need what the other holds. */
  unorderedDeletes?: readonly PlannedOperation[];
  touched: readonly LiveResource[];
  /** `resource` null = to be made; null when nothing stays. */
  result: Readonly<{ spec: Spec; resource: LiveResource | null }> | null;
  deleted: readonly LiveResource[];
  ignore: readonly string[];
}>;

export type PlannedOperation = OperationRequest &
  Readonly<{
    makes: Address | null;
    destroys: string | null;
    uses: readonly Address[];
    detaches: readonly string[];
    takes: readonly string[];
    frees: readonly string[];
    /** 0 = as soon as possible; 1 = deletes that free nothing; 2 = what may lock edgewise out. */
    layer: 0 | 1 | 2;
    notes: readonly string[];
    split?: (claims: ReadonlySet<string>) => Split;
    restore?: Json;
    takeBack?: (claims: ReadonlySet<string>) => Json;
  }>;

export type Split = Readonly<{
  release: PlannedOperation;
  rest: PlannedOperation;
  keeps: boolean;
}>;

export function idOf(index: number): string {
  return `op-${index + 1}`;
}

export type PlannedState = Readonly<{
  manifests: readonly Manifest[];
  proposed: readonly ProposedState[];
  changed: readonly ResourceChange[];
  ordered: Ordered;
  resulting: readonly ResultingResource[];
}>;

export type ResultingResource = Readonly<{
  kind: Kind;
  spec: Spec;
  resource: LiveResource | null;
  address: Address | null;
  orphaned: boolean;
}>;

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
