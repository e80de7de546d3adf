import type { Json, Spec } from "../core/json.js";
import type { Kind } from "../kinds/kind.js";
import type { Address } from "../kinds/names.js";
import type { Manifest } from "../manifest/manifest.js";
import { addressOfLive, type LiveIndex, type LiveResource } from "./live-index.js";
import type { Ordered } from "./order.js";
import type { Change, OperationRequest } from "./plan-format.js";
import type { ProposedState } from "./proposed-state.js";

export interface ResourceChange {
  readonly address: Address;
  readonly kind: Kind;
  readonly change: Change | null;
  readonly sequence: readonly PlannedOperation[];
  /** The deletes of duplicates: either may need what the other holds or makes. */
  readonly unorderedDeletes?: readonly PlannedOperation[];
  readonly touched: readonly LiveResource[];
  /** The spec afterwards and its live resource (null = to be made); null when nothing stays. */
  readonly result: { readonly spec: Spec; readonly resource: LiveResource | null } | null;
  readonly deleted: readonly LiveResource[];
  readonly ignore: readonly string[];
}

export interface PlannedOperation extends OperationRequest {
  /** What it makes; others may use it afterwards. */
  readonly makes: Address | null;
  /** The instance that it deletes or orphans. */
  readonly destroys: string | null;
  /** Addresses to be made that it refers to. */
  readonly uses: readonly Address[];
  /** Live instances that it stops referring to. */
  readonly detaches: readonly string[];
  /** See `Kind.claims`. */
  readonly takes: readonly string[];
  readonly frees: readonly string[];
  /** 0 = as soon as possible; 1 = deletes that free nothing; 2 = what may lock edgewise out. */
  readonly layer: 0 | 1 | 2;
  readonly notes: readonly string[];
  /** Splits off a release of some claims that can run ahead of the rest. */
  readonly split?: (claims: ReadonlySet<string>) => Split;
  /** A release that breaks a cycle: how to undo it. */
  readonly restore?: Json;
  /** The body that takes back some of what it freed, beside what it holds afterwards. */
  readonly takeBack?: (claims: ReadonlySet<string>) => Json;
}

export interface Split {
  readonly release: PlannedOperation;
  readonly rest: PlannedOperation;
  /** Whether the edge keeps something to serve in between. */
  readonly keeps: boolean;
}

export function idOf(index: number): string {
  return `op-${index + 1}`;
}

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
