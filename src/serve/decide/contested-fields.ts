import { type Address, isAddress } from "../../kinds/names.js";
import type { Change } from "../../plan/plan-format.js";
import type { ChangeOrigin, StackMemory } from "../records.js";
import { releaseWords, brakeId } from "./brake-words.js";
import { type BrakeLook, isDrift } from "./sight.js";

/** How long a field that was put back counts. */
const hourMs = 3_600_000;

/** Which resources of a stack somebody else keeps writing, and what is kept of that. */
export interface Contest {
  /** By address: why it is left alone, naming the fields. */
  readonly resources: ReadonlyMap<Address, string>;
  readonly memory: Pick<StackMemory, "restored" | "contested">;
}

/**
 * Finds fields that differ again although they were put back `brake.writers` times within an hour. They stay contested
 * until they have not differed for a full interval.
 */
export function judgeContest(look: BrakeLook, now: number): Contest {
  const { memory, plan, policy, stack } = look;
  const restored = recent(memory.restored, now);
  if (plan === null) return { resources: new Map(), memory: { restored, contested: memory.contested } };
  const differing = new Map(
    plan.changes
      .filter(({ address }) => isDrift(look.origins.get(address)))
      .flatMap((change) => fieldsOf(change).map((field) => [field, change.address] as const)),
  );
  const contested: Record<string, { since: number; lastSeen: number }> = {};
  const reasons = new Map<Address, string[]>();
  for (const field of new Set([...Object.keys(memory.contested), ...differing.keys()])) {
    const known = memory.contested[field];
    const address = differing.get(field);
    const isNew = known === undefined && (restored[field]?.length ?? 0) >= policy.brake.writers;
    if (known === undefined && (!isNew || address === undefined)) continue;
    const since = Math.min(known?.since ?? now, now);
    const lastSeen = address === undefined ? Math.min(known?.lastSeen ?? now, now) : now;
    const id = brakeId("writers", { stack, field, since: known?.since ?? now });
    if (policy.brake.release.includes(id) || now - lastSeen >= policy.intervalMs) {
      delete restored[field];
      continue;
    }
    contested[field] = { since: known?.since ?? since, lastSeen };
    if (address === undefined) continue;
    const why = `${nameOf(field)} was put back ${policy.brake.writers} times within an hour and differs again: somebody else writes it`;
    const until = `until it has not differed for ${releaseWords(id, policy.intervalMs)}`;
    reasons.set(address, [...(reasons.get(address) ?? []), `${why}. It is left alone ${until}`]);
  }
  const resources = new Map([...reasons].map(([address, texts]) => [address, texts.join(". ")]));
  return { resources, memory: { restored, contested } };
}

/**
 * What is to be kept before what somebody changed live is put back: each field with the time. Recording a pass twice
 * counts once.
 * @param written the changes that are about to be carried out
 * @param at the beginning of the pass, in milliseconds since 1970
 */
export function recordRestores(
  memory: StackMemory,
  written: readonly Change[],
  { origins, at }: { readonly origins: ReadonlyMap<Address, ChangeOrigin>; readonly at: number },
): StackMemory {
  const restored = recent(memory.restored, at);
  for (const change of written) {
    if (!isDrift(origins.get(change.address))) continue;
    for (const field of fieldsOf(change)) {
      const times = restored[field] ?? [];
      if (!times.includes(at)) restored[field] = [...times, at];
    }
  }
  return { ...memory, restored };
}

/** The fields of a change as they are kept: `Kind/name path`, or `Kind/name` of what is made or removed as a whole. */
function fieldsOf({ action, address, fields }: Change): readonly string[] {
  return action === "update" ? fields.map(({ path }) => `${address} ${path}`) : [address];
}

function nameOf(field: string): string {
  return isAddress(field) && !field.includes(" ") ? field : field.replace(" ", ": ");
}

/** The times of the last hour. A time in the future was recorded before the clock was set back: it counts as now. */
function recent(restored: StackMemory["restored"], now: number): Record<string, readonly number[]> {
  const kept: Record<string, readonly number[]> = {};
  for (const [field, times] of Object.entries(restored)) {
    const within = times.map((time) => Math.min(time, now)).filter((time) => now - time < hourMs);
    if (within.length > 0) kept[field] = within;
  }
  return kept;
}
