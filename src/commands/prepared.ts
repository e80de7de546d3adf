import type { Client } from "../api/client.js";
import { readLiveFor } from "../live/read-live-for.js";
import type { Manifest } from "../manifest/manifest.js";
import type { PlanOptions } from "../plan/options.js";
import type { Plan } from "../plan/plan.js";
import type { Planned } from "./make-plan-from.js";

/** A plan that is about to be applied, and how it is made again. */
export interface Prepared {
  readonly plan: Plan;
  /** The manifests that secrets are taken from. */
  readonly manifests: readonly Manifest[];
  /** Lists and plans anew, in full: what is applied when somebody was asked meanwhile. */
  readonly planAgain: () => Promise<Plan>;
  /** Lists and plans anew after the apply, when nothing must be left to do. That plan is not rehearsed. */
  readonly planAfter: () => Promise<Plan>;
}

/**
 * A plan that was just made.
 * @param manifests what secrets are taken from; default: what the plan was made from
 */
export function preparedFrom(
  { plan, desired, options }: Pick<Planned, "plan" | "desired" | "options">,
  client: Client,
  manifests: readonly Manifest[] = desired,
): Prepared {
  const again = (more: Partial<PlanOptions>) => async (): Promise<Plan> => {
    const { plan: make } = await import("../plan/make-plan.js");
    return make(desired, await readLiveFor(client, desired), { ...options, ...more });
  };
  return { plan, manifests, planAgain: again({}), planAfter: again({ rehearse: false, again: true }) };
}
