import type { Address } from "../../kinds/names.js";
import { fingerprint } from "../../plan/canonical-json.js";
import type { Change, Plan } from "../../plan/plan-format.js";
import type { StackPolicy } from "../fleet/fleet.js";
import type { ChangeOrigin, StackMemory } from "../records.js";

/** One stack of an account in one pass, as the brake sees it. */
export interface BrakeLook {
  readonly stack: string;
  readonly policy: StackPolicy;
  /** From before the pass, however often the pass judges. */
  readonly memory: StackMemory;
  /** The beginning of the last complete look before this one; null = there was none. */
  readonly previousLook: number | null;
  /** The beginning of this look. */
  readonly lookedAt: number;
  /** Why Git can't be read, so that the plan is made from an old commit; null = it can. */
  readonly gitUnreadable: string | null;
  /** Null = the look failed. */
  readonly plan: Pick<Plan, "changes"> | null;
  /** By address, of every change of the plan. */
  readonly origins: ReadonlyMap<Address, ChangeOrigin>;
  /** What would be applied now without a brake. */
  readonly unasked: readonly Address[];
}

/** When lists could not be read, as far as the account remembers. */
export interface ListHistory {
  /** When they could be read again for the last time; 0 = never. */
  readonly recoveredAt: number;
  /** When the operator last released a brake of this cause; 0 = never. */
  readonly releasedAt: number;
  readonly now: number;
}

/** How far a look can be trusted. */
export interface Trust {
  /** Why nothing of the stack is written automatically; null = it may be. */
  readonly doubt: string | null;
  /** Differences that were not there in the same way at the look before: held alone. */
  readonly held: readonly Address[];
  readonly memory: Pick<StackMemory, "sighted" | "sightedAt" | "blind">;
}

/**
 * Whether a look may heal. The first look after lists or Git could not be read only records what differs; the next one
 * heals what still differs in the same way.
 */
export function assessTrust(look: BrakeLook, { now, recoveredAt, releasedAt }: ListHistory): Trust {
  const { gitUnreadable, lookedAt, memory, previousLook } = look;
  const drift = driftOf(look);
  const differs = Object.fromEntries(drift.map((change) => [change.address, fingerprintOf(change)]));
  const forgotten = { sighted: null, sightedAt: 0, blind: gitUnreadable !== null };
  const recorded = { sighted: differs, sightedAt: lookedAt, blind: false };
  if (gitUnreadable !== null)
    return { doubt: `Git can't be read, and what it says may be old: ${gitUnreadable}`, held: [], memory: forgotten };
  if (drift.length === 0) return { doubt: null, held: [], memory: forgotten };
  const { sighted } = memory;
  if (sighted !== null && releasedAt >= memory.sightedAt)
    return { doubt: null, held: [], memory: { ...recorded, sightedAt: memory.sightedAt } };
  // A look in the future was made before the clock was set back: nobody knows when.
  const isFirst = previousLook !== null && (previousLook < recoveredAt || (recoveredAt > 0 && previousLook > now));
  if (memory.blind || (isFirst && releasedAt < recoveredAt)) {
    const what = memory.blind ? "Git" : "the lists";
    return { doubt: `this is the first look since ${what} could not be read`, held: [], memory: recorded };
  }
  const held = sighted === null ? [] : drift.filter(({ address }) => sighted[address] !== differs[address]);
  return { doubt: null, held: held.map(({ address }) => address), memory: held.length === 0 ? forgotten : recorded };
}

/** Whether somebody changed it live, for all that is known. */
export function isDrift(origin: ChangeOrigin | undefined): boolean {
  return origin !== "commit";
}

/** What differs for another reason than a commit. */
export function driftOf({ origins, plan }: Pick<BrakeLook, "origins" | "plan">): readonly Change[] {
  return (plan?.changes ?? []).filter(({ address }) => isDrift(origins.get(address)));
}

function fingerprintOf({ action, fields, id }: Change): string {
  return fingerprint({ action, id, fields: fields.map(({ path, before, after }) => ({ path, before, after })) });
}
