import { claimText } from "../../kinds/kind.js";
import type { PlanContext } from "../plan-context.js";
import { idOf } from "../resource-change.js";
import type { PlannedState } from "./planned-state.js";

/** Refuses a plan whose operations depend on each other in a cycle that no temporary release breaks (`ordering-cycle`). */
export function refuseCycles({ ordered }: PlannedState, { findings }: PlanContext): void {
  for (const { operations } of ordered.cycles) {
    const names = [...new Set(operations.map(({ address }) => address))];
    findings.refuse(
      "ordering-cycle",
      null,
      `${names.join(", ")} depend on each other in a cycle, and none can be released first`,
      "split the change in two: first remove the hostport from one of them, apply, then add it to the other",
    );
  }
}

/** Warns of what is not served for a moment, because one edge releases it before another claims it (`traffic-gap`). */
export function warnAboutGaps({ ordered }: PlannedState, { findings }: PlanContext): void {
  for (const { claim, freedBy, takenBy } of ordered.gaps) {
    const [from, to] = [ordered.operations[freedBy], ordered.operations[takenBy]];
    if (from === undefined || to === undefined) continue;
    findings.warn(
      "traffic-gap",
      `${claimText(claim)} is not served between ${idOf(freedBy)} (${from.address} releases it) and ${idOf(takenBy)} (${to.address} claims it)`,
      to.address,
    );
  }
}
