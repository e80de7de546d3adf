import { addrOf } from "../kinds/codecs/reference-codecs.js";
import { type Address, type KindName, compareManifests, kindOf, nameOf } from "../kinds/names.js";
import type { Live } from "../live/live.js";
import type { Manifest } from "../manifest/manifest.js";
import type { Difference } from "./diff.js";
import { type LiveIndex, type LiveResource, addressOfLive } from "./live-index.js";
import { matchAll } from "./match.js";
import type { PlanOptions } from "./options.js";
import { planContext } from "./plan-context.js";
import { proposeStates } from "./proposed-state.js";

/** A manifest beside its live resource. */
export interface BesideLive {
  readonly manifest: Manifest;
  /** Null when nothing is live, or a refusal keeps them apart. */
  readonly current: LiveResource | null;
  /** `before` is live, `after` the manifest. */
  readonly changed: readonly Difference[];
}

/** What a plan is made from, with the values themselves: secrets are wrapped, not masked. */
export interface DifferencesFromLive {
  /** Of every manifest, in the order of plans. */
  readonly manifests: readonly BesideLive[];
  /** What the stack owns and no manifest describes. */
  readonly undescribed: readonly { readonly address: Address; readonly id: string }[];
  /** Everything that the stack owns, by kind, then by id. Of several with one name, the first. */
  readonly owned: readonly OwnedLive[];
}

/** A live resource of the stack, by the name in its marker. */
export interface OwnedLive {
  readonly kind: KindName;
  readonly name: string;
  readonly id: string;
  readonly addr: string | null;
}

/**
 * How the live resources differ from their manifests, as a plan sees it. Pure.
 * @throws EdgewiseError `manifests` for a reference to nothing
 */
export function differencesFromLive(
  desired: readonly Manifest[],
  live: Live,
  options: PlanOptions,
): DifferencesFromLive {
  const context = planContext(live, options);
  const found = matchAll(desired.toSorted(compareManifests), context);
  return {
    manifests: proposeStates(found.matches, context).map(({ compared, match }) => ({
      manifest: match.manifest,
      current: match.refused ? null : (compared?.current ?? null),
      changed: match.refused ? [] : (compared?.differences.changed ?? []),
    })),
    owned: ownedOf(context.index),
    undescribed: found.unclaimed.map((resource) => ({ address: addressOfLive(resource), id: resource.id })),
  };
}

function ownedOf({ mine, owned }: LiveIndex): readonly OwnedLive[] {
  return mine.flatMap((one) => {
    const address = addressOfLive(one);
    // The map has the order in which pages came.
    return owned.get(address)?.[0] === one
      ? [{ kind: kindOf(address), name: nameOf(address), id: one.id, addr: addrOf(one.kind, one.wire) }]
      : [];
  });
}
