import type { Client } from "../api/client.js";
import type { Live } from "../live/live.js";
import type { Manifest } from "../manifest/manifest.js";
import type { PlanOptions } from "../plan/options.js";
import type { Plan } from "../plan/plan.js";
import type { Planned } from "./make-plan-from.js";
import { readLiveFor } from "../live/read-live-for.js";

/** A plan that is about to be applied. */
export interface Prepared {
  readonly plan: Plan;
  /** The manifests that secrets are taken from. */
  readonly manifests: readonly Manifest[];
  readonly options: PlanOptions;
  /** Lists everything anew. */
  readonly list: () => Promise<Live>;
  /** Lists and plans anew: after the apply that must give nothing. Null when the manifests for that are not at hand. */
  readonly replan: (() => Promise<Plan>) | null;
}

/** A plan that was just made. */
export function preparedFrom({ plan, desired, options }: Planned, client: Client): Prepared {
  const list = (): Promise<Live> => readLiveFor(client, desired);
  return { plan, manifests: desired, options, list, replan: async () => planAgain(desired, await list(), options) };
}

/** Plans for the sake of verification: what is left is all that matters, so nothing is rehearsed. */
export async function planAgain(desired: readonly Manifest[], live: Live, options: PlanOptions): Promise<Plan> {
  const { plan } = await import("../plan/make-plan.js");
  return plan(desired, live, { ...options, rehearse: false, again: true });
}
