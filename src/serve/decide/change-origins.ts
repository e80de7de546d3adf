import { type Address, kindOf } from "../../kinds/names.js";
import { kinds } from "../../kinds/registry.js";
import type { Change, Plan } from "../../plan/plan-format.js";
import { type SyncState, compareWithKnown } from "./sync-states.js";
import type { ChangeOrigin, StackMemory } from "../records.js";

type Synced = StackMemory["synced"];

type Ids = NonNullable<StackMemory["ids"]>;

/** What was seen in sync, with what a pass that was cut off has made since. */
export function knownSynced(states: ReadonlyMap<Address, SyncState>, { synced, writing }: StackMemory): Synced {
  const made = writing?.made ?? {};
  const seen = [...states].filter(([address, { live }]) => Object.hasOwn(made, address) && made[address] === live);
  return seen.length === 0
    ? synced
    : { ...synced, ...Object.fromEntries(seen.map(([address]) => [address, made[address] ?? ""])) };
}

export function madeBy({ changes }: Plan, states: ReadonlyMap<Address, SyncState>): Synced {
  return Object.fromEntries(
    changes.flatMap(({ address }): [Address, string][] => {
      const desired = states.get(address)?.desired ?? null;
      return desired === null ? [] : [[address, desired]];
    }),
  );
}

export function originsOf(
  plan: Plan,
  states: ReadonlyMap<Address, SyncState>,
  synced: Synced,
): ReadonlyMap<Address, ChangeOrigin> {
  return new Map(plan.changes.map((change) => [change.address, originOf(change, states.get(change.address), synced)]));
}

function originOf({ address, action }: Change, state: SyncState | undefined, synced: Synced): ChangeOrigin {
  if (state === undefined) return "both";
  const known = knownOf(address, state, synced);
  // What never was live can't have been deleted there: only Git can have asked for it.
  if (known === null) return action === "create" ? "commit" : "both";
  const { desiredAsKnown, liveAsKnown } = compareWithKnown(state, known);
  // Both are as known when nothing differs but a secret, which no fingerprint holds: nobody knows who changed it.
  if (desiredAsKnown === liveAsKnown) return "both";
  return desiredAsKnown ? "drift" : "commit";
}

function knownOf(
  address: Address,
  { former }: SyncState,
  known: { readonly [address: string]: string },
): string | null {
  for (const name of [address, ...former]) if (Object.hasOwn(known, name)) return known[name] ?? null;
  return null;
}

export function idsAfter(states: ReadonlyMap<Address, SyncState>, before: Ids): Ids {
  return Object.fromEntries(
    [...states].flatMap(([address, state]): [Address, string][] => {
      const id = state.id ?? knownOf(address, state, before);
      return id === null || kinds[kindOf(address)].collection === null ? [] : [[address, id]];
    }),
  );
}

export function idsBefore(
  addresses: readonly Address[],
  { plan, states }: { readonly plan: Plan; readonly states: ReadonlyMap<Address, SyncState> },
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

export function syncedAfter(states: ReadonlyMap<Address, SyncState>, plan: Plan, before: Synced): Synced {
  const changed = new Set(plan.changes.map(({ address }) => address));
  return Object.fromEntries(
    [...states].flatMap(([address, state]): [Address, string][] => {
      if (!changed.has(address) && state.live !== null && state.desired === state.live) return [[address, state.live]];
      const known = knownOf(address, state, before);
      return known === null ? [] : [[address, known]];
    }),
  );
}
