import type { ReadClient } from "../api/client.js";
import type { Live } from "../live/live.js";
import type { Listing } from "../live/read-live.js";
import type { Manifest } from "../manifest/manifest.js";
import type { PlanOptions } from "../plan/options.js";
import type { Plan } from "../plan/plan-format.js";
import type { CommandContext } from "./context.js";
import { during } from "./status-line.js";

/** A plan and all that it was made from. */
export interface Planned {
  readonly plan: Plan;
  readonly desired: readonly Manifest[];
  readonly live: Live;
  readonly options: PlanOptions;
}

/**
 * Lists what is live and plans; the one way in which every command comes to a plan. A terminal is told meanwhile.
 * @param listing the lists, when they were started earlier
 */
export async function makePlanFrom(
  { io, status }: Pick<CommandContext, "io" | "status">,
  client: ReadClient,
  desired: readonly Manifest[],
  options: PlanOptions,
  listing?: Listing,
): Promise<Planned> {
  const [{ readLiveFor }, { plan: make }, { formerSecrets }] = await Promise.all([
    import("../live/read-live-for.js"),
    import("../plan/make-plan.js"),
    import("../plan/former-secrets.js"),
  ]);
  const live = await during(status, "Reading what is live …", async () => readLiveFor(client, desired, [], listing));
  // What is live in the place of a secret is one, and may be repeated elsewhere.
  for (const text of formerSecrets(desired, live, options)) io.redactor.addSent(text);
  const plan = make(desired, live, options);
  // Hashes can be tried out until they hold a guess.
  const fingerprints = [...plan.preconditions, ...Object.values(plan.secrets)].map(({ fingerprint }) => fingerprint);
  io.redactor.reveal([plan.hash, plan.commit, ...fingerprints]);
  return { plan, desired, live, options };
}
