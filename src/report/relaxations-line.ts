import type { Plan } from "../plan/plan.js";
import { relaxationFlags } from "../plan/relaxation-flags.js";

/** The flags that loosened the guards of a plan, in a sentence; null when there were none. */
export function relaxationsLine({ relaxations }: Plan): string | null {
  const flags = relaxationFlags({ ...relaxations, destroy: false });
  return flags.length === 0 ? null : `Guards loosened by flags: ${flags.join(" ")}`;
}
