import type { Live } from "../live/live.js";
import type { Manifest } from "../manifest/manifest.js";
import { plan as make } from "../plan/make-plan.js";
import type { PlanOptions } from "../plan/options.js";
import type { Plan } from "../plan/plan-format.js";
import { version } from "../version.js";

/** Whose resources they are and where the service is; the rest is as the command line has it. */
export type LibraryPlanOptions = Pick<PlanOptions, "stack" | "baseUrl"> & Partial<PlanOptions>;

/**
 * What has to happen so that the live account becomes what the manifests say. Pure: the same input gives the same bytes.
 * @throws EdgewiseError `manifests` for a reference to nothing
 */
export function plan(desired: readonly Manifest[], live: Live, options: LibraryPlanOptions): Plan {
  return make(desired, live, {
    previousStacks: [],
    toolVersion: version,
    moduleEndpoints: [],
    prune: true,
    allow: [],
    maxDeletes: null,
    allowEmpty: false,
    takeOver: false,
    only: null,
    destroy: false,
    lookUp: false,
    ...options,
  });
}
