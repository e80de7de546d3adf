import { didYouMean } from "../diagnostics/suggest.js";
import { EdgewiseError } from "../core/errors.js";
import { type Address, addressOf } from "../kinds/names.js";
import { listFew } from "../text/layout.js";
import { isSheltered } from "./guards/deletes.js";
import { type LiveIndex, type LiveResource, addressOfLive, eachReference, push, referrersAmong } from "./live-index.js";
import { isReplacementChain, refuseDuplicates } from "./match.js";
import type { PlanContext } from "./plan-context.js";
import type { ProposedState } from "./proposed-state.js";

/**
 * The addresses that `--only` selects: the named ones, what they refer to, the holders of hostports that they claim,
 * and the resources that refer to one that is replaced or deleted. Of what no manifest describes, the named ones alone:
 * nothing else is deleted. Null = everything.
 * @throws EdgewiseError `usage` for an address that nothing has
 */
export function selectAddresses(
  states: readonly ProposedState[],
  unclaimed: readonly LiveResource[],
  { index, options }: PlanContext,
): ReadonlySet<Address> | null {
  const { only } = options;
  if (only === null) return null;
  if (options.again !== true) refuseUnknown(only, states, unclaimed);
  const named = new Set(only);
  const deletable = unclaimed.filter((one) => named.has(addressOfLive(one)));
  return closureOf(only, tiesBetween(states, deletable, index));
}

/** For each of some addresses, what `--only` selects when it alone is named: itself and what goes along with it. */
export function selectionClosuresOf(
  states: readonly ProposedState[],
  unclaimed: readonly LiveResource[],
  { index }: PlanContext,
  addresses: Iterable<Address>,
): ReadonlyMap<Address, ReadonlySet<Address>> {
  const ties = tiesBetween(states, unclaimed, index);
  return new Map(Array.from(addresses, (address) => [address, closureOf([address], ties)]));
}

/** What goes along with what: calls `select` with each address that goes along with one, directly. */
type Ties = (address: Address, select: (other: Address) => void) => void;

function closureOf(addresses: readonly Address[], visit: Ties): ReadonlySet<Address> {
  const selected = new Set(addresses);
  const select = (address: Address): void => void selected.add(address);
  // A set may grow while it is walked: each address is visited once.
  for (const address of selected) visit(address, select);
  return selected;
}

function tiesBetween(states: readonly ProposedState[], unclaimed: readonly LiveResource[], index: LiveIndex): Ties {
  const described = new Map(states.map((state) => [state.match.address, state]));
  const orphaned = new Map<Address, LiveResource[]>();
  const owners = new Map<string, Address>();
  for (const { match } of states) {
    for (const one of [match.current, ...match.retired]) if (one !== null) owners.set(one.key, match.address);
  }
  for (const one of unclaimed) {
    owners.set(one.key, addressOfLive(one));
    push(orphaned, addressOfLive(one), one);
  }
  const goingAt = (address: Address): readonly LiveResource[] => {
    const state = described.get(address);
    if (state === undefined) return orphaned.get(address) ?? [];
    const { current, retired } = state.match;
    return state.replacedFor.length > 0 && current !== null ? [current, ...retired] : retired;
  };
  const referrers = referrersAmong(index.all, index);
  return (address, select) => {
    const selectOwner = (key: string): void => {
      const owner = owners.get(key);
      if (owner !== undefined) select(owner);
    };
    for (const old of goingAt(address)) referrers.get(old.key)?.forEach(({ resource }) => selectOwner(resource.key));
    const state = described.get(address);
    if (state === undefined) return;
    const { match, spec } = state;
    eachReference(match.kind, match.desired, ({ kind, target }) => {
      const found = kind !== null && "name" in target ? addressOf(kind, target.name) : null;
      if (found !== null && described.has(found)) select(found);
    });
    for (const claim of match.kind.claims?.(spec) ?? []) {
      for (const holder of index.holders.get(claim) ?? []) selectOwner(holder.key);
    }
  };
}

function refuseUnknown(
  only: readonly Address[],
  states: readonly ProposedState[],
  unclaimed: readonly LiveResource[],
): void {
  const known = new Set([...states.map(({ match }) => match.address), ...unclaimed.map(addressOfLive)]);
  const unknown = only.find((address) => !known.has(address));
  if (unknown === undefined) return;
  throw new EdgewiseError("usage", `${unknown} not found: no manifest describes it and the stack does not own it`, {
    remedy:
      didYouMean(unknown, [...known].toSorted()) ?? `Known addresses: ${listFew([...known].toSorted(), 6) || "none"}.`,
  });
}

/**
 * The owned resources without a manifest that may be deleted: none of a kind that something unreadable may refer to,
 * and duplicates only when their address is allowed.
 */
export function prunable(unclaimed: readonly LiveResource[], context: PlanContext): readonly LiveResource[] {
  const { findings, live, options } = context;
  if (!options.prune) return [];
  const groups = new Map<Address, LiveResource[]>();
  for (const one of unclaimed) {
    const address = addressOfLive(one);
    const why = "is left alone: the resources that may refer to it can't be read";
    if (isSheltered(one.kind, live)) findings.warn("not-pruned", `it has no manifest and ${why}`, address);
    else push(groups, address, one);
  }
  for (const [address, group] of groups)
    if (group.length > 1 && !isReplacementChain(group)) refuseDuplicates(address, group, context);
  return [...groups.values()].flat();
}
