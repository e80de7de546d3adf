import type { ReadClient } from "../api/client.js";
import { EdgewiseError } from "../errors.js";
import { readMarker } from "../kinds/marker.js";
import { addressOf, listedKinds } from "../kinds/names.js";
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
  const [{ readLiveFor }, { plan }] = await Promise.all([import("./read-live-for.js"), import("../plan/make-plan.js")]);
  const live = await readLiveFor(client, desired);
  refuseUnknown(options, desired, live);
  return { plan: plan(desired, live, options), desired, live, options };
}

/** An address that `--only` names and nothing has is a mistake, not an empty plan. */
function refuseUnknown(options: PlanOptions, desired: readonly Manifest[], live: Live): void {
  if (options.only === null) return;
  const known = new Set<string>(desired.map(({ address }) => address));
  const stacks = [options.stack, ...options.previousStacks];
  for (const kind of listedKinds) {
    for (const wire of live.lists[kind]) {
      const { marker } = readMarker(wire["metadata"]);
      if (marker !== null && stacks.includes(marker.stack)) known.add(addressOf(kind, marker.name));
    }
  }
  const unknown = options.only.filter((address) => !known.has(address));
  if (unknown.length === 0) return;
  throw new EdgewiseError(
    "usage",
    `there is neither a manifest nor a resource of stack ${options.stack} for ${unknown.join(", ")}`,
    {
      remedy: "Check the address given with --only: it is Kind/name.",
    },
  );
}
