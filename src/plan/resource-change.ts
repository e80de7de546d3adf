import type { Json, Spec } from "../json.js";
import type { Kind } from "../kinds/kind.js";
import type { Address } from "../kinds/names.js";
import type { LiveResource } from "./live-index.js";
import type { Binding, Change, OperationKind } from "./plan-format.js";

/** What one address needs: its change for the reader, its operations in their order, and what comes of it. */
export interface ResourceChange {
  readonly address: Address;
  readonly kind: Kind;
  /** Null = nothing to do. */
  readonly change: Change | null;
  readonly sequence: readonly PlannedOperation[];
  /** The deletes of twins: in no order with the rest, as it may need what they hold, and they what it makes. */
  readonly unorderedDeletes?: readonly PlannedOperation[];
  /** Live resources that the operations touch. */
  readonly touched: readonly LiveResource[];
  /** The spec that stands afterwards and whose it is (null = to be made); null when nothing stays. */
  readonly result: { readonly spec: Spec; readonly resource: LiveResource | null } | null;
  /** Live resources that are deleted. */
  readonly deleted: readonly LiveResource[];
  /** Fields whose live value is left alone. */
  readonly ignore: readonly string[];
}

/** An operation before it has its place in the order. */
export interface PlannedOperation {
  readonly kind: OperationKind;
  readonly method: "POST" | "PATCH" | "PUT" | "DELETE";
  readonly path: string;
  readonly pathBind?: { readonly address: Address; readonly part: "id" };
  readonly address: Address;
  readonly resourceId: string | null;
  readonly body: Json;
  readonly bind: { readonly [pointer: string]: Binding };
  /** What it makes; others may use it afterwards. */
  readonly makes: Address | null;
  /** The instance that it deletes or lets go. */
  readonly destroys: string | null;
  /** Things to be made that it refers to. */
  readonly uses: readonly Address[];
  /** Live instances that it stops referring to. */
  readonly detaches: readonly string[];
  /** Claims that it takes, and those that it frees. */
  readonly takes: readonly string[];
  readonly frees: readonly string[];
  /** 0 = as soon as it can; 1 = deletes that free nothing; 2 = what may lock the tool out. */
  readonly layer: 0 | 1 | 2;
  /** What is unusual about it, in words. */
  readonly notes: readonly string[];
  /** Gives a release of some claims that can go ahead of this operation; absent when it can't be split. */
  readonly split?: (claims: ReadonlySet<string>) => Split;
  /** A release that breaks a cycle: how to undo it. */
  readonly restore?: Json;
}

/** An operation cut in two, to break a cycle. */
export interface Split {
  readonly release: PlannedOperation;
  readonly rest: PlannedOperation;
  /** Whether the edge keeps something to serve in between. */
  readonly keeps: boolean;
}
