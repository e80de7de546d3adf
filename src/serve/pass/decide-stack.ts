import type { Address } from "../../kinds/names.js";
import type { StackPolicy } from "../fleet/fleet.js";
import { decide } from "../decide/decide.js";
import type { BrakeVerdict, Decision } from "../decide/decision.js";
import type { StackMemory } from "../records.js";
import type { Sight } from "./look-at-stack.js";

/** What a decision depends on beside what was seen. */
export interface DecisionContext {
  readonly policy: StackPolicy;
  readonly memory: StackMemory;
  /** The whole fleet is paused. */
  readonly paused: boolean;
  readonly brake: BrakeVerdict;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** What somebody approved. Absent = nothing. */
  readonly approved?: ReadonlySet<Address>;
}

/** Decides what is done about a sight: asks the planner what belongs together, and the rules what is allowed. */
export function decideStack(
  { closures, origins, plan }: Sight,
  { brake, memory, now, paused, policy, approved = new Set() }: DecisionContext,
): Decision {
  return decide({ plan, origins, closures, policy, now, paused, deletes: memory.deletes, brake, approved });
}
