import type { ReadClient } from "../api/client.js";
import type { Listing } from "../live/read-live.js";
import type { Manifest } from "../manifest/manifest.js";
import type { Context } from "./context.js";
import type { CommonFlags } from "./flags.js";
import { loadDesired } from "./load-desired.js";

/** The manifests, and the lists that were started while they were read. */
export interface LoadedAndListing {
  readonly desired: readonly Manifest[];
  /** Absent when there were so few manifests that nothing was asked before all of them were checked. */
  readonly listing: Listing | undefined;
}

/**
 * Loads the manifests. A mistake in them is found before any request, unless there are thousands: then the service
 * lists what is live meanwhile, as neither needs the other and both take time. Closing the client ends the lists when a
 * manifest turns out to be wrong after all.
 * @throws ManifestProblems as {@link loadDesired} does
 */
export async function loadAndList(context: Context, flags: CommonFlags, client: ReadClient): Promise<LoadedAndListing> {
  const { startListing } = await import("../live/read-live.js");
  let listing: Listing | undefined;
  const desired = await loadDesired(context, flags, () => {
    listing = startListing(client);
  });
  return { desired, listing };
}
