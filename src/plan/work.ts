import type { Spec } from "../json.js";
import type { Kind } from "../kinds/kind.js";
import type { Address } from "../kinds/names.js";
import type { PlannedOperation } from "./draft.js";
import type { LiveResource } from "./live-resource.js";
import type { Change } from "./plan.js";

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
