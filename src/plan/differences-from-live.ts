import { addrOf } from "../kinds/codecs/reference-codecs.js";
import { type Address, type KindName, kindOf, nameOf } from "../kinds/names.js";
import type { Live } from "../live/live.js";
import type { Manifest } from "../manifest/manifest.js";
import type { Difference } from "./diff.js";
import { type LiveResource, addressOfLive } from "./live-index.js";
import { compareAll } from "./make-plan.js";
import type { PlanOptions } from "./options.js";

export interface BesideLive {
  readonly manifest: Manifest;
  /** Null when nothing is live, or a refusal keeps them apart. */
  readonly current: LiveResource | null;
  /** `before` is live, `after` the manifest. Secrets are wrapped, not masked. */
  readonly changed: readonly Difference[];
}

export interface DifferencesFromLive {
  /** Of every manifest, in the order of plans. */
  readonly manifests: readonly BesideLive[];
  /** What the stack owns and no manifest describes. */
  readonly undescribed: readonly {
    readonly address: Address;
    readonly kind: KindName;
    readonly name: string;
    readonly id: string;
    readonly addr: string | null;
  }[];
}

/** How the live resources differ from their manifests. @throws EdgewiseError `manifests` for a reference to nothing */
export function differencesFromLive(
  desired: readonly Manifest[],
  live: Live,
  options: PlanOptions,
): DifferencesFromLive {
  const { states, unclaimed } = compareAll(desired, live, options);
  const manifests = states.map(({ compared, match: { manifest, refused } }) =>
    refused || compared === null
      ? { manifest, current: null, changed: [] }
      : { manifest, current: compared.current, changed: compared.differences.changed },
  );
  const undescribed = unclaimed.map((one) => {
    const address = addressOfLive(one);
    return { address, kind: kindOf(address), name: nameOf(address), id: one.id, addr: addrOf(one.kind, one.wire) };
  });
  return { manifests, undescribed };
}
