import type { ReadClient } from "../../api/client.js";
import { type Listing, startListing } from "../../live/read-live.js";
import type { Manifest } from "../../manifest/manifest.js";
import type { CommandContext } from "./command-context.js";
import type { CommonFlags } from "./command-options.js";
import { loadDesired } from "./load-desired.js";

/** Loaded manifests, and the lists that were started meanwhile. */
export interface LoadedAndListing {
  readonly manifests: readonly Manifest[];
  /** Absent when no list was started, because the stack is not known. */
  readonly listing: Listing | undefined;
}

/**
 * Starts the lists, which need nothing but the configuration, and loads the manifests while they are on their way. A
 * mistake in a manifest ends the lists: the caller closes the client.
 * @param load how the manifests are loaded
 * @throws ManifestProblems as `loadDesired` does
 */
export async function loadAndList(
  context: CommandContext,
  flags: CommonFlags,
  client: ReadClient,
  load: typeof loadDesired = loadDesired,
): Promise<LoadedAndListing> {
  // Without a stack nothing can be planned, and the error about it comes after those of the manifests.
  const listing = context.config.stack === null ? undefined : startListing(client);
  return { manifests: await load(context, flags), listing };
}
