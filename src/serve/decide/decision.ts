import type { Impact } from "../../kinds/impact.js";
import type { Address } from "../../kinds/names.js";
import type { Plan } from "../../plan/plan-format.js";
import type { StackPolicy } from "../fleet/fleet.js";
import type { ChangeOrigin, StackState, WaitReason } from "../records.js";

/** Everything that a decision depends on. */
export interface DecisionInput {
  /** The whole plan of the stack. */
  readonly plan: Plan;
  /** By address, of every change of the plan. */
  readonly origins: ReadonlyMap<Address, ChangeOrigin>;
  /** For each address, what a selection of it alone selects, itself included: `closuresOf` of the planner. */
  readonly closures: ReadonlyMap<Address, ReadonlySet<Address>>;
  readonly policy: StackPolicy;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** The whole fleet is paused. */
  readonly paused: boolean;
  /** When resources of the stack were deleted within the last 24 hours. */
  readonly deletes: readonly number[];
  /** What the brake stops. */
  readonly brake: BrakeVerdict;
  /** What somebody approved: it is not held for want of an approval. Absent = nothing. */
  readonly approved?: ReadonlySet<Address>;
}

/** What the brake says of one stack. */
export interface BrakeVerdict {
  /** Why no unasked write of the stack is allowed; null = the brake does not stop it. */
  readonly stopped: string | null;
  /** By address: why this resource alone is not written unasked. */
  readonly resources: ReadonlyMap<Address, string>;
}

/** Why one change is not carried out now. */
export interface HeldChange {
  readonly address: Address;
  /** Null = a guard refuses it, and nothing else. */
  readonly reason: WaitReason | null;
  readonly message: string;
  /** The change that it can't be carried out without, and that is held; absent = it is held for its own sake. */
  readonly along?: Address;
}

/** What is done about a plan. */
export interface Decision {
  /** `synced`, `pending` (something is to be applied), `waiting` or `refused`. */
  readonly state: Extract<StackState, "synced" | "pending" | "waiting" | "refused">;
  readonly reason: WaitReason | null;
  readonly message: string;
  /** The largest allowed set that is closed under dependencies: the selection to plan and apply. */
  readonly apply: readonly Address[];
  readonly held: readonly HeldChange[];
  /** What waits for an approval, whatever else it waits for: the changes that a digest names. */
  readonly unapproved: readonly Address[];
  /** The worst impact of all changes. */
  readonly impact: Impact;
  readonly changes: { readonly [O in ChangeOrigin]: number };
}
