import { kinds } from "../kinds/registry.js";
import type { Live } from "../live/live.js";
import type { LiveIndex } from "./live-resource.js";
import { addressOfLive } from "./preconditions.js";
import type { FindingsCollector } from "./verdicts.js";

/** Tells what is odd about the live side before anything is planned. */
export function warnAboutLive(live: Live, index: LiveIndex, verdicts: FindingsCollector): void {
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
      addressOfLive(resource),
    );
  }
}
