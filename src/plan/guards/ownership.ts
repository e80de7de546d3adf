import type { Reference } from "../../kinds/kind.js";
import { addressOf } from "../../kinds/names.js";
import { kinds } from "../../kinds/registry.js";
import type { Live } from "../../live/live.js";
import type { FindingsCollector } from "../findings-collector.js";
import { type LiveIndex, eachReference, keyOf } from "../live-index.js";
import { addressOfLive } from "../preconditions.js";
import type { ProposedState } from "../proposed-state.js";

/**
 * Refuses to make something for a place where an owned edge refers to a live resource without a marker: somebody wiped
 * its metadata, and a second one would be made beside it (`ownership-lost`).
 */
export function checkLostMarkers(
  targets: readonly ProposedState[],
  index: LiveIndex,
  verdicts: FindingsCollector,
): void {
  const made = new Set(
    targets.filter((target) => target.match.current === null && !target.match.refused).map((t) => t.match.address),
  );
  if (made.size === 0) return;
  const matched = new Set(targets.flatMap(({ match: { current } }) => (current === null ? [] : [current.key])));
  const refused = new Set<string>();
  for (const { match, spec } of targets) {
    const { current, kind } = match;
    if (current === null) continue;
    const kept = new Set<string | null>();
    const places: { readonly reference: Reference; readonly field: string }[] = [];
    eachReference(kind, spec, (reference, field) => {
      kept.add(keyOf(reference, index));
      if ("name" in reference.target) places.push({ reference, field });
    });
    for (const { reference, field } of places) {
      const { kind: wanted, target } = reference;
      if (wanted === null || !("name" in target) || !made.has(addressOf(wanted, target.name))) continue;
      const address = addressOf(wanted, target.name);
      eachReference(kind, current.spec, (old, oldField) => {
        const key = oldField === field ? keyOf(old, index) : null;
        const lost = key === null ? undefined : index.byInstance.get(key);
        if (lost === undefined || lost.marker !== null || lost.kind.kind !== wanted) return;
        if (kept.has(key) || matched.has(key ?? "") || refused.has(address)) return;
        refused.add(address);
        verdicts.refuse(
          "ownership-lost",
          address,
          `${match.address} refers to ${lost.id}, which carries no marker: its metadata was probably wiped, and a second ${lost.kind.title} would be made beside it`,
          `write \`metadata: {id: ${lost.id}}\` in the manifest to adopt it again; to make a new one all the same, allow this address`,
        );
      });
    }
  }
}

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
