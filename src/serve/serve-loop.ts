import {
  type FollowedSource,
  type ServeState,
  dueAccounts,
  fetchDueAt,
  loadServeState,
  markDue,
  newSource,
  nextDueAt,
} from "./serve-state.js";
import type { Fleet, FleetSource } from "./fleet/fleet.js";
import { followSource } from "./follow-source.js";
import { saveUnsaved, storeFailed } from "./keep-records.js";
import { passAccounts } from "./pass-due.js";
import type { ServeDeps, StopSignals } from "./serve-deps.js";
import { changesEveryMs, takeChanges, updateTargets } from "./update-targets.js";
import { expandSource, isChecked, markChanged } from "./expand-source.js";

export interface ServeLoop {
  readonly state: ServeState;
  run(signals: StopSignals): Promise<void>;
  changeFleet(fleet: Fleet): Promise<void>;
  markDue(source: string, at: number): void;
}

const mostAtOnce = 8;

/** The longest sleep: a clock that somebody set, or a machine that was asleep, is noticed then. */
const longestSleepMs = 10_000;

const pruneEveryMs = 3_600_000;
const outboxMs = 24 * 3_600_000;

/** The loop: what is due is recomputed at every turn, so nothing is lost when an event is lost. */
export async function createServeLoop(fleet: Fleet, deps: ServeDeps): Promise<ServeLoop> {
  const state = await loadServeState(fleet, deps);
  let alarm = new AbortController();
  const wake = (): void => alarm.abort();

  const run = async ({ stop, hardStop }: StopSignals): Promise<void> => {
    const running = new Set<Promise<unknown>>();
    let fetching = 0;
    const start = (subject: string, work: () => Promise<unknown>, onEnd = (): void => undefined): void => {
      const ended = work()
        .catch((error: unknown) => {
          const message = deps.mask(error instanceof Error ? error.message : String(error));
          deps.emit({ event: "bug", subject, message });
        })
        .finally(() => {
          running.delete(ended);
          onEnd();
          wake();
        });
      running.add(ended);
    };
    const pruning = chore(pruneEveryMs, () => prune(state, deps));
    const taking = chore(changesEveryMs, () => takeChanges(state, deps));
    stop.addEventListener("abort", wake, { once: true });
    while (!stop.aborted) {
      const now = deps.clock.now();
      // Somebody set the clock back: what was noted is too far away.
      if (now < state.heartbeat) {
        state.dueTimes.clear();
        state.denied.clear();
      }
      state.heartbeat = now;
      const fetches = fetchTimes(state, now);
      for (const { at, source } of fetches.slice(0, mostAtOnce - fetching)) {
        if (at > now) break;
        fetching += 1;
        const follow = () => followSource(state, source, deps, stop);
        start(`the source ${source.name}`, follow, () => void (fetching -= 1));
      }
      const due = dueAccounts(state, now, mostAtOnce - state.passing.size);
      const names = due.map(({ account }) => account.name).join(", ");
      const passes = { all: false, stop, hardStop, onEnd: wake };
      if (due.length > 0) start(`the accounts ${names}`, () => passAccounts(state, due, passes, deps));
      const chores = deps.store.shared || state.damaged.size > 0 ? [pruning, taking] : [pruning];
      for (const one of chores) if (one.isDue(now)) start("what is done now and then", () => one.run(now));
      if (state.storeFailed || (deps.store.shared && state.unsaved.history.length > 0)) await saveUnsaved(state, deps);
      const until = Math.min(
        now + longestSleepMs,
        fetching < mostAtOnce ? (fetches.find(({ at }) => at > now)?.at ?? Infinity) : Infinity,
        state.passing.size < mostAtOnce ? nextDueAt(state, now) : Infinity,
        ...chores.map(({ at }) => at()),
      );
      await deps.clock.sleep(Math.max(0, until - deps.clock.now()), alarm.signal);
      alarm = new AbortController();
    }
    await Promise.all(running);
    await saveUnsaved(state, deps);
  };

  return {
    state,
    run,
    changeFleet: async (changed) => {
      await changeFleet(state, changed, deps);
      wake();
    },
    markDue: (source, at) => {
      const followed = state.sources.get(source);
      if (followed === undefined) return;
      followed.nextFetch = Math.min(followed.nextFetch, at);
      wake();
    },
  };
}

function chore(everyMs: number, work: () => Promise<unknown>) {
  let next = 0;
  let isRunning = false;
  return {
    at: (): number => (isRunning ? Infinity : next),
    isDue: (now: number): boolean => !isRunning && (now >= next || next > now + everyMs),
    run: async (now: number): Promise<void> => {
      next = now + everyMs;
      isRunning = true;
      await work().finally(() => void (isRunning = false));
    },
  };
}

/** Removes what is too old, and saves what was looked at again: after a crash nothing looks much older than it is. */
async function prune(state: ServeState, deps: ServeDeps): Promise<void> {
  await saveUnsaved(state, deps);
  const now = deps.clock.now();
  await deps.store.prune(now - state.fleet.historyMs, now - outboxMs).catch((error: unknown) => {
    storeFailed(state, error, deps);
  });
}

function fetchTimes(state: ServeState, now: number) {
  const times = [...state.fleet.sources.values()].flatMap((source) => {
    const followed = state.sources.get(source.name);
    return followed === undefined || followed.fetching ? [] : [{ source, at: fetchDueAt(followed, source, now) }];
  });
  return times.toSorted((one, other) => one.at - other.at);
}

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
  if (textOf(before.http) === textOf(fleet.http)) return;
  const message = "http changed in the fleet file: restart edgewise serve for it to take effect";
  deps.emit({ event: "restart-needed", fleet: fleet.file, message });
}

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
  if (textOf(before) !== textOf(source)) known.nextFetch = now;
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
    const expansion = await expandSource(state.fleet, source, commit, followed.record, previous);
    followed.expansion = expansion;
    await markChanged(state, source, previous, expansion, deps);
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

function textOf(value: unknown): string {
  return JSON.stringify(value, (member, held: unknown) => (member === "place" ? undefined : held));
}
