import type { Summary } from "../plan/plan-format.js";

const summaryActions = ["create", "update", "replace", "delete", "adopt", "orphan"] as const;

/** `Plan: 1 to create, 2 to update, 0 to replace, 0 to delete, 0 to adopt, 0 to orphan, 3 unchanged.` */
export function summaryLine(summary: Summary): string {
  return `Plan: ${summaryActions.map((action) => `${summary[action]} to ${action}`).join(", ")}, ${summary.unchanged} unchanged.`;
}
