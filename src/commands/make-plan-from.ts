import type { ReadClient } from "../api/client.js";
import type { Live } from "../live/live.js";
import type { Manifest } from "../manifest/manifest.js";
import type { PlanOptions } from "../plan/options.js";
import type { Plan } from "../plan/plan.js";

/** A plan and all that it was made from. */
export interface Planned {
  readonly plan: Plan;
  readonly desired: readonly Manifest[];
  readonly live: Live;
  readonly options: PlanOptions;
}

/** Lists what is live and plans; the one way in which every command comes to a plan. */
export async function makePlanFrom(
  client: ReadClient,
  desired: readonly Manifest[],
  options: PlanOptions,
): Promise<Planned> {
  const [{ readLiveFor }, { plan }] = await Promise.all([
    import("../live/read-live-for.js"),
    import("../plan/make-plan.js"),
  ]);
  const live = await readLiveFor(client, desired);
  return { plan: plan(desired, live, options), desired, live, options };
}
