import { kinds } from "../kinds/registry.js";
import type { Live } from "../live/live.js";
import type { LiveIndex } from "./live-resource.js";
import { nameOf } from "./preconditions.js";
import type { Verdicts } from "./verdicts.js";

/** Tells what is odd about the live side before anything is planned. */
export function warnOfLive(live: Live, index: LiveIndex, verdicts: Verdicts): void {
  for (const { kind, status } of live.unreadable) {
    const { title, collection } = kinds[kind];
    verdicts.warn(
      "kind-unreadable",
      `the list of ${title} resources (${collection?.path ?? ""}) answered ${status}; no manifest uses the kind, so it is left alone`,
    );
  }
  for (const resource of index.all) {
    if (!resource.malformed) continue;
    verdicts.warn(
      "malformed-marker",
      `the metadata of ${resource.id} has a member "edgewise" that is no marker: it counts as unowned`,
      nameOf(resource),
    );
  }
}
