import type { Action, Change, Summary } from "./plan.js";

/** Counts changes by action. Counts resources, not operations. */
export function summaryOf(changes: readonly Change[], unchanged: number): Summary {
  const counts: Record<Action, number> = { create: 0, update: 0, replace: 0, delete: 0, adopt: 0, orphan: 0 };
  for (const { action } of changes) counts[action] += 1;
  return { ...counts, unchanged };
}
