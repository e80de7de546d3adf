import { setImmediate as breathe } from "node:timers/promises";
import type { ReadClient } from "../api/client.js";
import type { JsonObject } from "../json.js";
import type { ListedKind } from "../kinds/names.js";
import type { Listing } from "../live/read-live.js";
import type { Manifest } from "../manifest/manifest.js";
import type { CommandContext } from "./context.js";
import type { CommonFlags } from "./flags.js";
import { loadDesired } from "./load-desired.js";

/** How many manifests are prepared in one go, a millisecond of work. */
const manifestsAtATime = 250;

/** The manifests, and the lists that were started while they were read. */
export interface LoadedAndListing {
  readonly desired: readonly Manifest[];
  /** Absent when there were so few manifests that nothing was asked before all of them were checked. */
  readonly listing: Listing | undefined;
}

/**
 * Loads the manifests. A mistake in them is found before any request, unless there are hundreds: then the service
 * lists what is live meanwhile, as neither needs the other and both take time, and both sides are brought to normal
 * form while pages are on their way. Closing the client ends the lists when a manifest turns out to be wrong after all.
 * @throws ManifestProblems as {@link loadDesired} does
 */
export async function loadAndList(
  context: CommandContext,
  flags: CommonFlags,
  client: ReadClient,
): Promise<LoadedAndListing> {
  const [{ startListing }, { kinds }, { prepareSpec, prepareWire }] = await Promise.all([
    import("../live/read-live.js"),
    import("../kinds/registry.js"),
    import("../kinds/normal-form.js"),
  ]);
  const prepare = (kind: ListedKind, items: readonly JsonObject[]): void => {
    const work = (): void => {
      for (const wire of items) prepareWire(kinds[kind], wire);
    };
    // In the turn after the one in which the next page is asked for, so that this takes no time of it.
    setImmediate(() => setImmediate(work));
  };
  let listing: Listing | undefined;
  const desired = await loadDesired(context, flags, () => {
    listing = startListing(client, prepare);
  });
  if (listing === undefined) return { desired, listing };
  for (const [index, { kind, spec }] of desired.entries()) {
    if (index % manifestsAtATime === manifestsAtATime - 1) await breathe();
    prepareSpec(kinds[kind], spec);
  }
  return { desired, listing };
}
