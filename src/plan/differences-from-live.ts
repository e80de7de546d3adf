import { addrOf } from "../kinds/codecs.js";
import { kindOf, nameOf } from "../kinds/names.js";
import type { Live } from "../live/live.js";
import type { Manifest } from "../manifest/manifest.js";
import type { Difference } from "./diff.js";
import { type LiveResource, addressOfLive } from "./live-index.js";
import { compareAll } from "./make-plan.js";
import type { PlanOptions } from "./plan-context.js";

export type BesideLive = Readonly<{
  manifest: Manifest;
  current: LiveResource | null;
  /** `before` is live. Secrets are wrapped, not masked. */
  changed: readonly Difference[];
}>;

export type DifferencesFromLive = ReturnType<typeof differencesFromLive>;

export function differencesFromLive(desired: readonly Manifest[], live: Live, options: PlanOptions) {
  const { states, unclaimed } = compareAll(desired, live, options);
  const manifests = states.map(({ compared, match: { manifest, refused } }): BesideLive => {
    if (refused || compared === null) return { manifest, current: null, changed: [] };
    return { manifest, current: compared.current, changed: compared.differences.changed };
  });
  const undescribed = unclaimed.map((one) => {
    const address = addressOfLive(one);
    return { address, kind: kindOf(address), name: nameOf(address), id: one.id, addr: addrOf(one.kind, one.wire) };
  });
  return { manifests, undescribed };
}

export type Adoptable = ReturnType<typeof findAdoptable>[number];

/** `id`: of the only candidate, which no other manifest means. */
export function findAdoptable(desired: readonly Manifest[], live: Live, options: PlanOptions) {
  const { context, states } = compareAll(desired, live, options);
  const taken = new Set(desired.map(({ id }) => id));
  const unowned = context.index.all.filter(
    ({ id, kind, marker, wire }) => marker === null && !taken.has(id) && kind.managedByService(wire) === null,
  );
  const found = states.flatMap(({ match: { kind, manifest, matchedBy, refused }, spec }) => {
    const identifiers = matchedBy === "new" && !refused ? kind.identifiers(spec) : [];
    const candidates = unowned.flatMap((one) => {
      const shared = one.kind === kind ? new Set(kind.identifiers(one.spec)) : new Set();
      const matching = identifiers.filter((identifier) => shared.has(identifier)).length;
      return matching === 0 ? [] : [{ id: one.id, whole: matching === identifiers.length }];
    });
    return candidates.length === 0 ? [] : [{ manifest, candidates }];
  });
  const isMeantBy = (id: string) => found.filter(({ candidates }) => candidates.some((one) => one.id === id)).length;
  return found.map(({ candidates, manifest }) => {
    const [only, second] = candidates;
    const isClear = only?.whole === true && second === undefined && isMeantBy(only.id) === 1;
    return { manifest, candidates: candidates.map(({ id }) => id), id: isClear ? only.id : null };
  });
}
