import { type ClaimWords, claimText, claimWordsOf } from "../../kinds/kind.js";
import { type Address, kindOf } from "../../kinds/names.js";
import { kinds } from "../../kinds/registry.js";
import type { PlanContext } from "../plan-context.js";
import { idOf } from "../resource-change.js";
import type { PlannedState } from "./planned-state.js";

/** Refuses a plan whose operations depend on each other in a cycle that no temporary release breaks (`ordering-cycle`). */
export function refuseCycles({ ordered }: PlannedState, { findings }: PlanContext): void {
  for (const { operations } of ordered.cycles) {
    const names = [...new Set(operations.map(({ address }) => address))];
    const [only] = names;
    if (only === undefined) continue;
    if (names.length === 1) {
      findings.refuse(
        "ordering-cycle",
        only,
        "the new resource needs what the old one holds, and the old one goes only once the new one is there",
        "do it in two steps: remove its manifest and apply, then add the manifest again and apply",
      );
      continue;
    }
    findings.refuse(
      "ordering-cycle",
      null,
      `${names.join(", ")} depend on each other in a cycle, and none can be released first`,
      `split the change in two: first remove the ${wordsFor(only).claim} from one of them, apply, then add it to the other`,
    );
  }
}

/** Warns of what is not served for a moment, because one resource releases it before another claims it (`traffic-gap`). */
export function warnAboutGaps({ ordered }: PlannedState, { findings }: PlanContext): void {
  for (const { claim, freedBy, takenBy } of ordered.gaps) {
    const [from, to] = [ordered.operations[freedBy], ordered.operations[takenBy]];
    if (from === undefined || to === undefined) continue;
    findings.warn(
      "traffic-gap",
      `${claimText(claim)} is not ${wordsFor(to.address).held} between ${idOf(freedBy)} (${from.address} releases it) and ${idOf(takenBy)} (${to.address} claims it)`,
      to.address,
    );
  }
}

function wordsFor(address: Address): ClaimWords {
  return claimWordsOf(kinds[kindOf(address)]);
}
