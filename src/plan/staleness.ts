import { comparePlans } from "./compare-plans.js";
import type { Plan, Refusal } from "./plan.js";

/** How many differences are told one by one. */
const mostDifferences = 5;

/**
 * Why a plan that was made earlier may not be applied: it is not what planning gives now. Empty = it still is.
 * @param remedy what the reader is to do
 */
export function staleness(
  saved: Plan,
  fresh: Plan,
  remedy = "plan again, look at the new plan and apply that one",
): readonly Refusal[] {
  const differences = comparePlans(saved, fresh);
  if (differences.length === 0) return [];
  if (fresh.changes.length === 0) {
    return [{ code: "stale-plan", message: "nothing that the plan does is left to do", remedy }];
  }
  const told = differences.slice(0, mostDifferences).map(({ address, message }): Refusal => ({
    code: "stale-plan",
    address,
    message,
    remedy,
  }));
  const more = differences.length - told.length;
  if (more === 0) return told;
  const rest = `the plan differs in ${more} more ${more === 1 ? "place" : "places"}`;
  return [...told, { code: "stale-plan", message: rest, remedy }];
}
