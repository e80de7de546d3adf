import { EdgewiseError } from "../errors.js";
import { type Address, type KindName, addressOf, kindNames } from "../kinds/names.js";
import { kinds } from "../kinds/registry.js";
import type { Live } from "../live/live.js";
import type { FindingsCollector } from "./findings-collector.js";
import { type LiveIndex, type LiveResource, eachReference, push, referencesOf } from "./live-index.js";
import { isReplacementChain, refuseDuplicates } from "./match.js";
import { addressOfLive } from "./preconditions.js";
import type { ProposedState } from "./proposed-state.js";

/**
 * The addresses that `--only` comes to: the named ones, what they refer to, whoever holds a hostport that they take,
 * and whoever has to let go when one of them is replaced or deleted.
 * @param again planning again after a run: an address that nothing has any more is no error
 */
export function selectTargets(
  only: readonly Address[],
  targets: readonly ProposedState[],
  leftovers: readonly LiveResource[],
  index: LiveIndex,
  again: boolean,
): ReadonlySet<Address> {
  const byAddress = new Map(targets.map((target) => [target.match.address, target]));
  const addressOfLive = new Map<string, Address>();
  for (const { match } of targets) {
    for (const one of [match.current, ...match.retired]) if (one !== null) addressOfLive.set(one.key, match.address);
  }
  const unwanted = new Map<Address, LiveResource[]>();
  for (const one of leftovers) {
    const address = addressOf(one.kind.kind, one.marker?.name ?? one.id);
    addressOfLive.set(one.key, address);
    push(unwanted, address, one);
  }
  const known = new Set([...byAddress.keys(), ...addressOfLive.values()]);
  for (const address of only) {
    if (!again && !known.has(address)) {
      throw new EdgewiseError(
        "usage",
        `nothing is called ${address}: no manifest describes it and the stack doesn't own it`,
        {
          remedy: "check the kind and the name (Kind/name)",
        },
      );
    }
  }
  const goingAt = (address: Address): readonly LiveResource[] => {
    const target = byAddress.get(address);
    if (target === undefined) return unwanted.get(address) ?? [];
    const { current, retired } = target.match;
    return target.immutable.length > 0 && current !== null ? [current, ...retired] : retired;
  };
  const referrers = referrersOf(index);
  const selected = new Set(only);
  // A set may grow while it is walked: each address is visited once.
  for (const address of selected) {
    for (const old of goingAt(address)) {
      for (const referrer of referrers.get(old.key) ?? []) {
        const owner = addressOfLive.get(referrer);
        if (owner !== undefined) selected.add(owner);
      }
    }
    const target = byAddress.get(address);
    if (target === undefined) continue;
    const { match, spec } = target;
    eachReference(match.kind, match.desired, ({ kind, target: named }) => {
      const found = kind !== null && "name" in named ? addressOf(kind, named.name) : null;
      if (found !== null && byAddress.has(found)) selected.add(found);
    });
    for (const claim of match.kind.claims?.(spec) ?? []) {
      for (const holder of index.holders.get(claim) ?? []) {
        const owner = addressOfLive.get(holder.key);
        if (owner !== undefined) selected.add(owner);
      }
    }
  }
  return selected;
}

function referrersOf(index: LiveIndex): ReadonlyMap<string, readonly string[]> {
  const referrers = new Map<string, string[]>();
  for (const { kind, key: referrer, spec } of index.all) {
    for (const key of referencesOf(kind, spec, index)) push(referrers, key, referrer);
  }
  return referrers;
}

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
