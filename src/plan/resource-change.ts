import type { Json, Spec } from "../core/json.js";
import type { Kind } from "../kinds/kind.js";
import type { Address } from "../kinds/names.js";
import type { LiveResource } from "./live-index.js";
import type { Change, OperationRequest } from "./plan-format.js";

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
