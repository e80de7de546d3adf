import type { Address } from "../../kinds/names.js";
import type { Change } from "../../plan/plan-format.js";
import type { ChangeOrigin, StackMemory } from "../records.js";
import { brakeId, releaseWords } from "./brake-words.js";
import { type BrakeLook, driftOf, isDrift } from "./trust.js";

const hourMs = 3_600_000;

export interface Contest {
  readonly resources: ReadonlyMap<Address, string>;
  readonly memory: Pick<StackMemory, "restored" | "contested">;
}

/** Finds fields that differ again although they were put back `brake.writers` times within an hour. */
export function judgeContest(look: BrakeLook, now: number): Contest {
  const { memory, plan, policy, stack } = look;
  const restored = recent(memory.restored, now);
  if (plan === null) return { resources: new Map(), memory: { restored, contested: memory.contested } };
  const differing = new Map(
    driftOf(look).flatMap((change) => fieldsOf(change).map((field) => [field, change.address])),
  );
  const contested: Record<string, { since: number; lastSeen: number }> = {};
  const resources = new Map<Address, string>();
  for (const field of new Set([...Object.keys(memory.contested), ...differing.keys()])) {
    const address = differing.get(field);
    const isNew = address !== undefined && (restored[field]?.length ?? 0) >= policy.brake.writers;
    const known = memory.contested[field] ?? (isNew ? { since: now, lastSeen: now } : undefined);
    if (known === undefined) continue;
    const { since } = known;
    const lastSeen = address === undefined ? Math.min(known.lastSeen, now) : now;
    const id = brakeId("writers", { stack, field, since });
    if (policy.brake.release.includes(id) || now - lastSeen >= policy.intervalMs) {
      delete restored[field];
      continue;
    }
    contested[field] = { since, lastSeen };
    if (address === undefined) continue;
    const why =
      `${field.replace(" ", ": ")} was put back ${policy.brake.writers} times within an hour and differs again: somebody else writes it. ` +
      `It is left alone until it has not differed for ${releaseWords(id, policy.intervalMs)}`;
    const others = resources.get(address);
    resources.set(address, others === undefined ? why : `${others}. ${why}`);
  }
  return { resources, memory: { restored, contested } };
}

/** What is to be kept before what somebody changed live is put back: each field with the time. */
export function recordRestores(
  memory: StackMemory,
  written: readonly Change[],
  { origins, at }: { readonly origins: ReadonlyMap<Address, ChangeOrigin>; readonly at: number },
): StackMemory {
  const restored = recent(memory.restored, at);
  for (const change of written.filter(({ address }) => isDrift(origins.get(address))))
    for (const field of fieldsOf(change)) restored[field] = [...new Set([...(restored[field] ?? []), at])];
  return { ...memory, restored };
}

/** The fields of a change as they are kept: `Kind/name path`, or `Kind/name` of what is made or removed as a whole. */
function fieldsOf({ action, address, fields }: Change): readonly string[] {
  return action === "update" ? fields.map(({ path }) => `${address} ${path}`) : [address];
}

/** The times of the last hour. A time in the future was recorded before the clock was set back: it counts as now. */
function recent(restored: StackMemory["restored"], now: number): Record<string, readonly number[]> {
  const within = Object.entries(restored).map(([field, times]) => {
    return [field, times.map((time) => Math.min(time, now)).filter((time) => now - time < hourMs)] as const;
  });
  return Object.fromEntries(within.filter(([, times]) => times.length > 0));
}
