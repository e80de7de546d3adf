import type { Client } from "../api/client.js";
import { readLiveFor } from "../live/read-live-for.js";
import type { Manifest } from "../manifest/manifest.js";
import type { PlanOptions } from "../plan/options.js";
import type { Plan, UnavailableSecret } from "../plan/plan-format.js";
import type { Planned } from "./make-plan-from.js";

/** A plan that is about to be applied, and how it is made again. */
export interface PreparedPlan {
  readonly plan: Plan;
  /** The manifests that secrets are taken from. */
  readonly manifests: readonly Manifest[];
  /** Lists and plans anew, in full: what is applied when somebody was asked meanwhile. */
  readonly planAgain: () => Promise<Plan>;
  /** Lists and plans anew after the apply, when nothing must be left to do. That plan is not rehearsed. */
  readonly planAfter: () => Promise<Plan>;
  /** Secrets that the plan leaves as they are because they were not available when it was saved. */
  readonly withheld: readonly UnavailableSecret[];
}

/**
 * A plan that was just made.
 * @param manifests what secrets are taken from; default: what the plan was made from
 * @param withheld see {@link PreparedPlan}
 */
export function preparePlan(
  { plan, desired, options }: Pick<Planned, "plan" | "desired" | "options">,
  client: Client,
  manifests: readonly Manifest[] = desired,
  withheld: readonly UnavailableSecret[] = [],
): PreparedPlan {
  const planFrom = async (from: readonly Manifest[], more: Partial<PlanOptions>): Promise<Plan> => {
    const { plan: make } = await import("../plan/make-plan.js");
    return make(from, await readLiveFor(client, from), { ...options, ...more });
  };
  return {
    plan,
    manifests,
    planAgain: async () => planFrom(desired, {}),
    // With every secret that can be read here: one that the plan leaves alone may differ from what is live.
    planAfter: async () => planFrom(manifests, { rehearse: false, again: true }),
    withheld,
  };
}
