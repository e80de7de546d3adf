import { kindNames, type KindName } from "../kinds/names.js";
import { kinds } from "../kinds/registry.js";
import type { Live } from "../live/live.js";
import { push, type LiveResource } from "./live-resource.js";
import { isReplacementChain, refuseDuplicates } from "./choose-among.js";
import { addressOfLive } from "./preconditions.js";
import type { FindingsCollector } from "./verdicts.js";
import type { Address } from "../kinds/names.js";

/**
 * The leftovers that may be deleted: none of a kind that something unreadable may refer to, and twins only when their
 * address is allowed.
 */
export function prunable(
  leftovers: readonly LiveResource[],
  live: Live,
  verdicts: FindingsCollector,
): readonly LiveResource[] {
  const sheltered = new Set(live.unreadable.flatMap(({ kind }) => kindsReferredToBy(kind)));
  const kept = leftovers.filter((one) => sheltered.has(one.kind.kind));
  for (const one of kept) {
    verdicts.warn(
      "not-pruned",
      `${one.id} has no manifest and is left alone: what refers to it can't be read`,
      addressOfLive(one),
    );
  }
  const groups = new Map<Address, LiveResource[]>();
  for (const one of leftovers) if (!sheltered.has(one.kind.kind)) push(groups, addressOfLive(one), one);
  for (const [address, group] of groups)
    if (group.length > 1 && !isReplacementChain(group)) refuseDuplicates(address, group, verdicts);
  return [...groups.values()].flat();
}

/** The kinds that resources of a kind may refer to. */
function kindsReferredToBy(kind: KindName): readonly KindName[] {
  const found = new Set(Object.values(kinds[kind].fields).flatMap((field) => field.codec.refersTo ?? []));
  return kindNames.filter((name) => found.has(name));
}
