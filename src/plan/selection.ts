import { EdgewiseError } from "../core/errors.js";
import { didYouMean } from "../diagnostics/suggest.js";
import { type Address, addressOf } from "../kinds/names.js";
import { listFew } from "../text/layout.js";
import { isSheltered } from "./guards/resource-guards.js";
import { type LiveResource, addressOfLive, push, referencesIn, referrersAmong } from "./live-index.js";
import { isReplacementChain, refuseDuplicates } from "./match.js";
import type { PlanContext } from "./plan-context.js";
import type { ComparedAll, ProposedState } from "./proposed-state.js";

/**
 * The addresses that `--only` selects: the named ones, what they refer to, the holders of hostports that they claim,
 * and the resources that refer to one that is replaced or deleted. Of what no manifest describes, the named ones alone:
 * nothing else is deleted. Null = everything.
 * @throws EdgewiseError `usage` for an address that nothing has
 */
export function selectAddresses(
  states: readonly ProposedState[],
  unclaimed: readonly LiveResource[],
  context: PlanContext,
): ReadonlySet<Address> | null {
  const { only, again } = context.options;
  if (only === null) return null;
  const known = new Set([...states.map(({ match }) => match.address), ...unclaimed.map(addressOfLive)]);
  const unknown = again === true ? undefined : only.find((address) => !known.has(address));
  if (unknown !== undefined) {
    const addresses = [...known].toSorted();
    const remedy = didYouMean(unknown, addresses) ?? `Known addresses: ${listFew(addresses, 6) || "none"}.`;
    const message = `${unknown} not found: no manifest describes it and the stack does not own it`;
    throw new EdgewiseError("usage", message, { remedy });
  }
  const deletable = unclaimed.filter((one) => only.includes(addressOfLive(one)));
  return closuresIn({ states, unclaimed: deletable, context })(only);
}

/** What finds what goes along with some addresses, themselves included. */
export function closuresIn({
  states,
  unclaimed,
  context: { index },
}: Pick<ComparedAll, "states" | "unclaimed" | "context">): (addresses: Iterable<Address>) => ReadonlySet<Address> {
  const described = new Map(states.map((state) => [state.match.address, state]));
  /** Live resources that go, by address. */
  const going = new Map<Address, LiveResource[]>();
  const owners = new Map<string, Address>();
  for (const { match, replacedFor } of states) {
    for (const one of [match.current, ...match.retired]) {
      if (one === null) continue;
      owners.set(one.key, match.address);
      if (one !== match.current || replacedFor.length > 0) push(going, match.address, one);
    }
  }
  for (const one of unclaimed) {
    owners.set(one.key, addressOfLive(one));
    push(going, addressOfLive(one), one);
  }
  const referrers = referrersAmong(index.all, index);
  const tiesOf = (address: Address): readonly (Address | undefined)[] => {
    const old = going.get(address) ?? [];
    const left = old.flatMap(({ key }) => (referrers.get(key) ?? []).map(({ resource }) => owners.get(resource.key)));
    const state = described.get(address);
    if (state === undefined) return left;
    const { kind, desired } = state.match;
    const named = referencesIn(kind, desired).flatMap(({ reference: { kind: referred, target } }) =>
      referred !== null && "name" in target ? addressOf(referred, target.name) : [],
    );
    const claims = kind.claims?.(state.spec) ?? [];
    const holders = claims.flatMap((claim) => (index.holders.get(claim) ?? []).map(({ key }) => owners.get(key)));
    return [...left, ...named.filter((one) => described.has(one)), ...holders];
  };
  return (addresses) => {
    const selected = new Set(addresses);
    // A set may grow while it is walked: each address is visited once.
    for (const address of selected) for (const tie of tiesOf(address)) if (tie !== undefined) selected.add(tie);
    return selected;
  };
}

/**
 * The owned resources without a manifest that may be deleted: none of a kind that something unreadable may refer to,
 * and duplicates only when their address is allowed.
 */
export function prunable(unclaimed: readonly LiveResource[], context: PlanContext): readonly LiveResource[] {
  const { findings, live, options } = context;
  const groups = new Map<Address, LiveResource[]>();
  for (const one of options.prune ? unclaimed : []) {
    const address = addressOfLive(one);
    const why = "it has no manifest and is left alone: the resources that may refer to it can't be read";
    if (isSheltered(one.kind, live)) findings.warn("not-pruned", why, address);
    else push(groups, address, one);
  }
  for (const [address, group] of groups)
    if (group.length > 1 && !isReplacementChain(group)) refuseDuplicates(address, group, context);
  return [...groups.values()].flat();
}
