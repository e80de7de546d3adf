import { impacts, type Impact } from "../plan/plan.js";

/** How grave an impact is, 0 for none. */
export function impactRank(impact: Impact): number {
  return impacts.indexOf(impact);
}
