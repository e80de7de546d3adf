import type { PlanContext } from "../plan-context.js";
import { checkClaims, checkSingletons } from "./claims.js";
import { checkDeletes, checkEmpty, checkReferrers } from "./deletes.js";
import { checkLiveReferences, checkShownAddrs } from "./live-references.js";
import { refuseCycles, warnAboutGaps } from "./ordering.js";
import { checkLostMarkers } from "./ownership.js";
import type { PlannedState } from "./planned-state.js";
import { refuseNamesAsSecrets } from "./secrets.js";

/** A check of a whole plan. It refuses and warns through the findings of the context. */
type Guard = (state: PlannedState, context: PlanContext) => void;

/** In the order in which their findings are shown. */
const guards: readonly Guard[] = [
  refuseNamesAsSecrets,
  checkLostMarkers,
  checkClaims,
  checkReferrers,
  checkLiveReferences,
  checkShownAddrs,
  checkSingletons,
  checkDeletes,
  checkEmpty,
  refuseCycles,
  warnAboutGaps,
];

/** Checks a plan before it is rehearsed. Guards of one resource (protection, hazards) have run by now. */
export function runGuards(state: PlannedState, context: PlanContext): void {
  for (const guard of guards) guard(state, context);
  context.findings.warnAboutUnused(context.options.configuredAllow ?? []);
}
