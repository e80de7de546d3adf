import { EdgewiseError } from "../core/errors.js";
import { changeFleet } from "./change-fleet.js";
import type { Fleet } from "./fleet/fleet.js";
import { followSource } from "./follow-source.js";
import { saveRenewed, saveUnsaved, storeFailed } from "./keep-records.js";
import { claimAndPass } from "./claim-pass.js";
import { dueAccounts, nextDueAt } from "./due-accounts.js";
import type { StopSignals } from "./pass-due.js";
import type { ServeDeps } from "./serve-deps.js";
import { changesEveryMs, takeChanges } from "./take-changes.js";
import { type ServeState, fetchDueAt, loadServeState } from "./serve-state.js";

/** The loop of one process. */
export interface ServeLoop {
  /** What it knows now: to be shown, not changed. */
  readonly state: ServeState;
  /** Turns until it is stopped, and ends when nothing runs any more and everything is saved. Never throws. */
  run(signals: StopSignals): Promise<void>;
  /** Goes on with another fleet file. */
  changeFleet(fleet: Fleet): Promise<void>;
  /** A source is due to be fetched at a time (milliseconds since 1970), or sooner. */
  markDue(source: string, at: number): void;
}

/** So many accounts are passed, and so many sources fetched, side by side. */
const mostAtOnce = 8;

/** The longest sleep: a clock that somebody set, or a machine that was asleep, is noticed then. */
const longestSleepMs = 10_000;

const pruneEveryMs = 3_600_000;

/**
 * The loop: what is due is recomputed at every turn from the fleet file, the records, Git and the time, so nothing is lost
 * when an event is lost. One turn fetches the sources that are due, passes the accounts that have due stacks, each once
 * at a time, and sleeps until the next is due.
 * @throws EdgewiseError `io` when the store can't be read
 */
export async function createServeLoop(fleet: Fleet, deps: ServeDeps): Promise<ServeLoop> {
  const state = await loadServeState(fleet, deps);
  let alarm = new AbortController();
  const wake = (): void => alarm.abort();

  const run = async ({ stop, hardStop }: StopSignals): Promise<void> => {
    const fetches = new Set<Promise<void>>();
    const passes = new Set<Promise<void>>();
    let pruneAt = deps.clock.now();
    let changesAt = pruneAt;
    const taking = new Set<Promise<void>>();
    const pruning = new Set<Promise<void>>();
    stop.addEventListener("abort", wake, { once: true });
    while (!stop.aborted) {
      const now = deps.clock.now();
      // Somebody set the clock back: what was noted is too far away.
      if (now < state.heartbeat) {
        state.dueTimes.clear();
        state.denied.clear();
      }
      state.heartbeat = now;
      for (const source of dueSources(state, now).slice(0, mostAtOnce - fetches.size))
        track(fetches, guarded(`the source ${source.name}`, followSource(state, source, deps, stop), deps), wake);
      const due = dueAccounts(state, now, mostAtOnce - state.passing.size);
      if (due.length > 0) {
        const passing = claimAndPass(state, due, { all: false, stop, hardStop, onEnd: wake }, deps);
        track(
          passes,
          guarded(`the accounts ${due.map(({ account }) => account.name).join(", ")}`, passing, deps),
          wake,
        );
      }
      const mayChange = deps.store.shared || state.damaged.size > 0;
      if (mayChange && taking.size === 0 && (now >= changesAt || changesAt > now + changesEveryMs)) {
        changesAt = now + changesEveryMs;
        track(taking, guarded("what others changed", takeChanges(state, deps), deps), wake);
      }
      if (state.unsaved.size > 0) await saveUnsaved(state, deps);
      if (pruning.size === 0 && (now >= pruneAt || pruneAt > now + pruneEveryMs)) {
        pruneAt = now + pruneEveryMs;
        track(pruning, guarded("old history", pruneHistory(state, now, deps), deps), wake);
      }
      const room = { fetches: fetches.size < mostAtOnce, passes: state.passing.size < mostAtOnce };
      const turn = nextTurn(state, room, now);
      const until = mayChange && taking.size === 0 ? Math.min(turn, changesAt) : turn;
      await deps.clock.sleep(Math.max(0, until - deps.clock.now()), alarm.signal);
      alarm = new AbortController();
    }
    await Promise.all([...fetches, ...passes, ...taking, ...pruning]);
    if (!hardStop.aborted) await saveRenewed(state, deps);
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

/** Removes what is too old, beside everything else: there may be much of it. */
async function pruneHistory(state: ServeState, now: number, deps: ServeDeps): Promise<void> {
  try {
    await deps.store.pruneHistory(now - state.fleet.historyMs);
  } catch (error) {
    if (!(error instanceof EdgewiseError)) throw error;
    storeFailed(state, error, deps);
  }
}

/** Sources whose time has come, and that are not being fetched; first what waits longest, so that slow ones starve nobody. */
function dueSources(state: ServeState, now: number) {
  return [...state.fleet.sources.values()]
    .flatMap((source) => {
      const followed = state.sources.get(source.name);
      if (followed === undefined || followed.fetching) return [];
      const at = fetchDueAt(followed, source, now);
      return at <= now ? [{ source, at }] : [];
    })
    .toSorted((one, other) => one.at - other.at)
    .map(({ source }) => source);
}

/** When something is due next. What there is no room for waits for the end of something, which wakes the loop. */
function nextTurn(
  state: ServeState,
  room: { readonly fetches: boolean; readonly passes: boolean },
  now: number,
): number {
  let next = now + longestSleepMs;
  if (room.fetches)
    for (const source of state.fleet.sources.values()) {
      const followed = state.sources.get(source.name);
      if (followed !== undefined && !followed.fetching) next = Math.min(next, fetchDueAt(followed, source, now));
    }
  return room.passes ? Math.min(next, nextDueAt(state, now)) : next;
}

function track(running: Set<Promise<void>>, work: Promise<void>, wake: () => void): void {
  const tracked = work.finally(() => {
    running.delete(tracked);
    wake();
  });
  running.add(tracked);
}

/** What must not throw, does: told as a bug, and the loop goes on. */
async function guarded(subject: string, work: Promise<unknown>, { emit, mask }: ServeDeps): Promise<void> {
  try {
    await work;
  } catch (error) {
    emit({ event: "bug", subject, message: mask(error instanceof Error ? error.message : String(error)) });
  }
}
