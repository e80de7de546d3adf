import { type Impact, impacts } from "../plan/plan-format.js";

/** How grave an impact is, 0 for none. */
export function impactRank(impact: Impact): number {
  return impacts.indexOf(impact);
}
