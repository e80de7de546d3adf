import { changeFleet } from "./change-fleet.js";
import { dueAccounts, nextDueAt } from "./due-accounts.js";
import type { Fleet } from "./fleet/fleet.js";
import { followSource } from "./follow-source.js";
import { saveUnsaved, storeFailed } from "./keep-records.js";
import { passAccounts } from "./pass-due.js";
import type { ServeDeps, StopSignals } from "./serve-deps.js";
import { type ServeState, fetchDueAt, loadServeState } from "./serve-state.js";
import { changesEveryMs, takeChanges } from "./take-changes.js";

export interface ServeLoop {
  readonly state: ServeState;
  run(signals: StopSignals): Promise<void>;
  /** Goes on with another fleet file. */
  changeFleet(fleet: Fleet): Promise<void>;
  markDue(source: string, at: number): void;
}

/** So many accounts are passed, and so many sources fetched, side by side. */
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
    const running = new Set<Promise<void>>();
    let fetching = 0;
    const start = async (subject: string, work: () => Promise<unknown>, onEnd = (): void => undefined) => {
      try {
        await work();
      } catch (error) {
        const message = deps.mask(error instanceof Error ? error.message : String(error));
        deps.emit({ event: "bug", subject, message });
      }
      onEnd();
      wake();
    };
    const track = (started: Promise<void>): void => {
      const tracked = started.finally(() => running.delete(tracked));
      running.add(tracked);
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
      for (const source of dueSources(state, now).slice(0, mostAtOnce - fetching)) {
        fetching += 1;
        const follow = () => followSource(state, source, deps, stop);
        track(start(`the source ${source.name}`, follow, () => void (fetching -= 1)));
      }
      const due = dueAccounts(state, now, mostAtOnce - state.passing.size);
      if (due.length > 0) {
        const names = due.map(({ account }) => account.name).join(", ");
        track(
          start(`the accounts ${names}`, () =>
            passAccounts(state, due, { all: false, stop, hardStop, onEnd: wake }, deps),
          ),
        );
      }
      const chores = deps.store.shared || state.damaged.size > 0 ? [pruning, taking] : [pruning];
      for (const one of chores) if (one.isDue(now)) track(start("what is done now and then", () => one.run(now)));
      if (state.storeFailed || (deps.store.shared && state.unsaved.history.length > 0)) await saveUnsaved(state, deps);
      const until = Math.min(
        now + longestSleepMs,
        fetching < mostAtOnce ? nextFetchAt(state, now) : Infinity,
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

function dueSources(state: ServeState, now: number) {
  return [...state.fleet.sources.values()]
    .flatMap((source) => {
      const followed = state.sources.get(source.name);
      const at = followed === undefined || followed.fetching ? Infinity : fetchDueAt(followed, source, now);
      return at <= now ? [{ source, at }] : [];
    })
    .toSorted((one, other) => one.at - other.at)
    .map(({ source }) => source);
}

function nextFetchAt(state: ServeState, now: number): number {
  const all = [...state.fleet.sources.values()].map((source) => {
    const followed = state.sources.get(source.name);
    return followed === undefined || followed.fetching ? Infinity : fetchDueAt(followed, source, now);
  });
  return Math.min(Infinity, ...all);
}
