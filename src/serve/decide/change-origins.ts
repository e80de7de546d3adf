import { type Address, kindOf } from "../../kinds/names.js";
import { kinds } from "../../kinds/registry.js";
import { fieldAt } from "../../plan/diff.js";
import type { Change, Plan } from "../../plan/plan-format.js";
import type { ChangeOrigin, StackMemory } from "../records.js";
import { type PlanWithStates, partsOf } from "./sync-states.js";

type Synced = StackMemory["synced"];

type Ids = NonNullable<StackMemory["ids"]>;

type States = PlanWithStates["states"];

/** Of what nobody changed itself: who changed what it goes along with. */
export function originsOf(
  { closures, plan, states }: PlanWithStates,
  synced: Synced,
): ReadonlyMap<Address, ChangeOrigin> {
  const own = new Map(plan.changes.map((change) => [change.address, originOf(change, states, synced)]));
  return new Map(
    [...own].map(([address, origin]) => {
      const causes = [...(closures.get(address) ?? [])].flatMap((other) => own.get(other) ?? []);
      const [cause = "both"] = causes;
      return [address, origin ?? (causes.every((one) => one === cause) ? cause : "both")];
    }),
  );
}

function originOf({ address, action, fields }: Change, states: States, synced: Synced): ChangeOrigin | null {
  const state = states.get(address);
  if (state === undefined) return "both";
  const known = knownOf(address, state, synced);
  // What never was live can't have been deleted there: only Git can have asked for it.
  if (known === null) return action === "create" ? "commit" : "both";
  const { desired, live } = state;
  const [desiredBefore = "", liveBefore = ""] = known.split("\n");
  // Of an update, what both sides made the same does not count.
  const paths = action === "update" ? fields.map(({ path }) => path) : null;
  const desiredAsKnown = isAsKnown(desired, desiredBefore, paths);
  const liveAsKnown = isAsKnown(live, liveBefore, paths);
  if (desiredAsKnown !== liveAsKnown) return desiredAsKnown ? "drift" : "commit";
  // Without a change of its own, a reference leads elsewhere; or a secret differs, and nobody knows on which side.
  const kind = kinds[kindOf(address)];
  const isReferring = fields.every(({ path }) => fieldAt(kind, path)?.codec.references !== undefined);
  return desiredAsKnown && isReferring ? null : "both";
}

function isAsKnown(side: string | null, before: string, paths: readonly string[] | null): boolean {
  if (side === null || paths === null) return side === before;
  const [now, then] = [partsOf(side), partsOf(before)];
  return paths.every((path) => now.get(path) === then.get(path));
}

function knownOf(
  address: Address,
  { former }: { readonly former: readonly string[] },
  known: { readonly [address: string]: string },
): string | null {
  for (const name of [address, ...former]) if (Object.hasOwn(known, name)) return known[name] ?? null;
  return null;
}

export function idsAfter(states: States, before: Ids): Ids {
  return Object.fromEntries(
    [...states].flatMap(([address, state]): [Address, string][] => {
      const id = state.id ?? knownOf(address, state, before);
      return id === null || kinds[kindOf(address)].collection === null ? [] : [[address, id]];
    }),
  );
}

export function idsBefore(
  addresses: readonly Address[],
  { plan, states }: { readonly plan: Plan; readonly states: States },
  ids: Ids,
): ReadonlyMap<Address, string> {
  const wanted = new Set(addresses);
  const made = plan.changes.filter(({ action, address }) => action === "create" && wanted.has(address));
  return new Map(
    made.flatMap(({ address }): [Address, string][] => {
      const state = states.get(address);
      const id = state === undefined || state.live !== null ? null : knownOf(address, state, ids);
      return id === null ? [] : [[address, id]];
    }),
  );
}

export function syncedAfter(states: States, plan: Plan, before: Synced): Synced {
  const changed = new Set(plan.changes.map(({ address }) => address));
  return Object.fromEntries(
    [...states].flatMap(([address, state]): [Address, string][] => {
      if (state.same && !changed.has(address)) return [[address, `${state.desired ?? ""}\n${state.live ?? ""}`]];
      const known = knownOf(address, state, before);
      return known === null ? [] : [[address, known]];
    }),
  );
}
