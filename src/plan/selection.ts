import { EdgewiseError } from "../core/errors.js";
import { didYouMean } from "../diagnostics/suggest.js";
import { type Address, addressOf } from "../kinds/names.js";
import { listFew } from "../core/text.js";
import { type LiveResource, addressOfLive, isSheltered, push, referencesIn, referrersAmong } from "./live-index.js";
import { type ComparedAll, isReplacementChain, type ProposedState, refuseDuplicates } from "./match.js";
import type { PlanContext } from "./plan-context.js";

type Compared = Pick<ComparedAll, "states" | "unclaimed" | "context">;

export function selectAddresses(compared: Compared): ReadonlySet<Address> | null {
  const { states, unclaimed, context } = compared;
  const { only, again, exclude = [] } = context.options;
  if (only === null && exclude.length === 0) return null;
  const known = new Set([...states.map(({ match }) => match.address), ...unclaimed.map(addressOfLive)]);
  const named = [...(only ?? []), ...exclude];
  const unknown = again === true ? undefined : named.find((address) => !known.has(address));
  if (unknown !== undefined) {
    const addresses = [...known].toSorted();
    const remedy = didYouMean(unknown, addresses) ?? `Known addresses: ${listFew(addresses, 6) || "none"}.`;
    const message = `${unknown} not found: no manifest describes it and the stack does not own it`;
    throw new EdgewiseError("usage", message, { remedy });
  }
  const held = heldBack(exclude, known, compared);
  const deletable = unclaimed.filter((one) => only?.includes(addressOfLive(one)));
  const selected = only === null ? known : closuresIn({ ...compared, unclaimed: deletable })(only);
  return new Set([...selected].filter((address) => !held.has(address)));
}

/** What needs what they make or release, or gives up what they take. */
function heldBack(excluded: readonly Address[], known: Iterable<Address>, compared: Compared): ReadonlySet<Address> {
  const held = new Set(excluded);
  if (held.size === 0) return held;
  const { states, unclaimed } = compared;
  const takers = new Map<string, Address>();
  const given = unclaimed.map((one) => ({ address: addressOfLive(one), kind: one.kind, spec: one.spec }));
  for (const { match, spec } of states) {
    const { address, current, kind } = match;
    for (const claim of kind.claims(spec)) takers.set(claim, address);
    if (current !== null) given.push({ address, kind, spec: current.spec });
  }
  const dependants = new Map<Address, Address[]>();
  for (const { address, kind, spec } of given)
    for (const claim of kind.claims(spec)) push(dependants, takers.get(claim) ?? address, address);
  const needsOf = tiesIn(compared, ({ match, replacedFor }) => match.current === null || replacedFor.length > 0);
  for (const address of known) for (const need of needsOf(address)) push(dependants, need, address);
  for (const address of held) for (const dependant of dependants.get(address) ?? []) held.add(dependant);
  return held;
}

export function closuresIn(compared: Compared): (addresses: Iterable<Address>) => ReadonlySet<Address> {
  const tiesOf = tiesIn(compared, () => true);
  return (addresses) => {
    const selected = new Set(addresses);
    for (const address of selected) for (const tie of tiesOf(address)) selected.add(tie);
    return selected;
  };
}

function tiesIn({ states, unclaimed, context: { index } }: Compared, counts: (referred: ProposedState) => boolean) {
  const described = new Map(states.map((state) => [state.match.address, state]));
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
  const ownersOf = (resources: readonly LiveResource[] = []) => resources.flatMap(({ key }) => owners.get(key) ?? []);
  return (address: Address): readonly Address[] => {
    const referring = (going.get(address) ?? []).flatMap(({ key }) => referrers.get(key) ?? []);
    const left = ownersOf(referring.map(({ resource }) => resource));
    const state = described.get(address);
    if (state === undefined) return left;
    const { kind, desired } = state.match;
    const named = referencesIn(kind, desired).flatMap(({ reference: { kind: referred, target } }) => {
      const found = referred !== null && "name" in target ? described.get(addressOf(referred, target.name)) : undefined;
      return found !== undefined && counts(found) ? [found.match.address] : [];
    });
    return [...left, ...named, ...kind.claims(state.spec).flatMap((claim) => ownersOf(index.holders.get(claim)))];
  };
}

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
