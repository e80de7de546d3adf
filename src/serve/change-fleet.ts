import { expandSource, isChecked } from "./expand-source.js";
import type { Fleet, FleetSource } from "./fleet/fleet.js";
import { markChanged } from "./mark-changed.js";
import type { ServeDeps } from "./serve-deps.js";
import { type FollowedSource, type ServeState, markDue, newSource } from "./serve-state.js";
import { updateTargets } from "./update-targets.js";

/** Goes on with another fleet file. Changed sources are fetched, changed stacks marked as due. */
export async function changeFleet(state: ServeState, fleet: Fleet, deps: ServeDeps): Promise<void> {
  const before = state.fleet;
  const described = describeTargets(state);
  state.fleet = fleet;
  const now = deps.clock.now();
  for (const name of state.sources.keys()) if (!fleet.sources.has(name)) state.sources.delete(name);
  for (const source of fleet.sources.values()) {
    const followed = changeSource(state, before.sources.get(source.name), source, now);
    await expandAgain(state, source, followed, deps);
  }
  await updateTargets(state, deps);
  const stopped = new Set<string>();
  for (const [name, text] of describeTargets(state)) {
    const account = state.targets.get(name)?.entry.account;
    if (described.get(name) === text || account === undefined) continue;
    markDue(state, name, now);
    stopped.add(account);
  }
  const kept = new Set(fleet.entries.map(({ name }) => name));
  for (const { name, account } of before.entries) if (!kept.has(name)) stopped.add(account);
  for (const account of stopped) state.passing.get(account)?.abort();
  deps.emit({ event: "fleet-loaded", fleet: fleet.file, stacks: state.targets.size });
  if (sameText(before.http, fleet.http)) return;
  const message = "http changed in the fleet file: restart edgewise serve for it to take effect";
  deps.emit({ event: "restart-needed", fleet: fleet.file, message });
}

/** Another repository or ref waits for a fetch, and so does a new entry whose signatures nobody checked yet. */
function changeSource(
  { fleet, sources }: ServeState,
  before: FleetSource | undefined,
  source: FleetSource,
  now: number,
): FollowedSource {
  const known = sources.get(source.name);
  const own = fleet.entries.filter((entry) => entry.source === source.name);
  const isNew = before === undefined || before.git !== source.git || before.ref !== source.ref;
  if (known === undefined || isNew || !own.every((entry) => isChecked(entry, source, known.record))) {
    const fresh = newSource(known?.record ?? null, now);
    sources.set(source.name, fresh);
    return fresh;
  }
  if (!sameText(before, source)) known.nextFetch = now;
  return known;
}

/** A commit that can't be read waits for the next fetch. */
async function expandAgain(
  state: ServeState,
  source: FleetSource,
  followed: FollowedSource,
  deps: ServeDeps,
): Promise<void> {
  const { commit, expansion: previous } = followed;
  if (commit === null) return;
  try {
    const expansion = await expandSource(state.fleet, source, commit, { record: followed.record, previous });
    followed.expansion = expansion;
    await markChanged(state, source, { previous, expansion }, deps);
  } catch {
    followed.commit = null;
    followed.nextFetch = deps.clock.now();
  }
}

function describeTargets({ fleet, targets }: ServeState): ReadonlyMap<string, string> {
  return new Map(
    [...targets].map(([name, { entry, config, stack, secrets }]) => {
      const account = fleet.accounts.get(entry.account);
      return [name, textOf([fleet.pause, entry, config, stack, secrets, account])] as const;
    }),
  );
}

function sameText(one: unknown, other: unknown): boolean {
  return textOf(one) === textOf(other);
}

/** Where something stands in the file says nothing about it. */
function textOf(value: unknown): string {
  return JSON.stringify(value, (member, held: unknown) => (member === "place" ? undefined : held));
}
