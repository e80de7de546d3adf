import type { Address } from "../../kinds/names.js";
import { fingerprint } from "../../plan/canonical-json.js";
import type { Change, Plan } from "../../plan/plan-format.js";
import type { StackPolicy } from "../fleet/fleet.js";
import type { ChangeOrigin, StackMemory } from "../records.js";

export interface BrakeLook {
  readonly stack: string;
  readonly policy: StackPolicy;
  readonly memory: StackMemory;
  readonly previousLook: number | null;
  readonly lookedAt: number;
  /** Why Git can't be read, so that the plan is made from an old commit; null = it can. */
  readonly gitUnreadable: string | null;
  readonly plan: Pick<Plan, "changes"> | null;
  readonly origins: ReadonlyMap<Address, ChangeOrigin>;
  readonly unasked: readonly Address[];
}

export interface ListHistory {
  readonly recoveredAt: number;
  readonly releasedAt: number;
  readonly now: number;
}

export interface Trust {
  readonly doubt: string | null;
  readonly held: readonly Address[];
  readonly memory: Pick<StackMemory, "sighted" | "sightedAt" | "blind">;
}

/** Whether a look may heal. */
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

export function isDrift(origin: ChangeOrigin | undefined): boolean {
  return origin !== "commit";
}

export function driftOf({ origins, plan }: Pick<BrakeLook, "origins" | "plan">): readonly Change[] {
  return (plan?.changes ?? []).filter(({ address }) => isDrift(origins.get(address)));
}

function fingerprintOf({ action, fields, id }: Change): string {
  return fingerprint({ action, id, fields: fields.map(({ path, before, after }) => ({ path, before, after })) });
}
