import type { ReadClient } from "../api/client.js";
import type { Listing } from "../live/read-live.js";
import type { Manifest } from "../manifest/manifest.js";
import type { Context } from "./context.js";
import type { CommonFlags } from "./flags.js";
import { loadDesired } from "./load-desired.js";

/** The manifests, and the lists that were started before they were read. */
export interface LoadedAndListing {
  readonly desired: readonly Manifest[];
  readonly listing: Listing;
}

/**
 * Loads the manifests while the service is listing: neither needs the other, and both take time. Closing the client
 * ends the lists when the manifests turn out to be wrong.
 * @throws ManifestProblems as {@link loadDesired} does
 */
export async function loadAndList(context: Context, flags: CommonFlags, client: ReadClient): Promise<LoadedAndListing> {
  const { startListing } = await import("../live/read-live.js");
  const listing = startListing(client);
  return { desired: await loadDesired(context, flags), listing };
}
