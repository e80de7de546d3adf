import type { Json, Spec } from "../core/json.js";
import type { Kind } from "../kinds/kind.js";
import type { Address } from "../kinds/names.js";
import type { Manifest } from "../manifest/manifest.js";
import { addressOfLive, type LiveIndex, type LiveResource } from "./live-index.js";
import type { Ordered } from "./order.js";
import type { Change, OperationRequest } from "./plan-format.js";
import type { ProposedState } from "./match.js";

export interface ResourceChange {
  readonly address: Address;
  readonly kind: Kind;
  readonly change: Change | null;
  readonly sequence: readonly PlannedOperation[];
  /** Duplicates: either may need what the other holds. */
  readonly unorderedDeletes?: readonly PlannedOperation[];
  readonly touched: readonly LiveResource[];
  /** `resource` null = to be made; null when nothing stays. */
  readonly result: { readonly spec: Spec; readonly resource: LiveResource | null } | null;
  readonly deleted: readonly LiveResource[];
  readonly ignore: readonly string[];
}

export interface PlannedOperation extends OperationRequest {
  readonly makes: Address | null;
  readonly destroys: string | null;
  /** What it refers to and this plan makes. */
  readonly uses: readonly Address[];
  readonly detaches: readonly string[];
  readonly takes: readonly string[];
  readonly frees: readonly string[];
  /** 0 = as soon as possible; 1 = deletes that free nothing; 2 = what may lock edgewise out. */
  readonly layer: 0 | 1 | 2;
  readonly notes: readonly string[];
  /** Splits off a release that can run ahead of the rest. */
  readonly split?: (claims: ReadonlySet<string>) => Split;
  /** Undoes a release that breaks a cycle. */
  readonly restore?: Json;
  /** Takes back some of what it freed, beside what it holds afterwards. */
  readonly takeBack?: (claims: ReadonlySet<string>) => Json;
}

export interface Split {
  readonly release: PlannedOperation;
  readonly rest: PlannedOperation;
  readonly keeps: boolean;
}

export function idOf(index: number): string {
  return `op-${index + 1}`;
}

export interface PlannedState {
  readonly manifests: readonly Manifest[];
  readonly proposed: readonly ProposedState[];
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

/** Of all selected resources, unchanged ones too. */
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
