import { isDeepStrictEqual } from "node:util";
import type { Fleet, FleetAccount } from "./fleet/fleet.js";
import { followSource } from "./follow-source.js";
import { saveUnsaved } from "./keep-records.js";
import { deniedMs, passAccounts } from "./pass-due.js";
import type { ServeDeps, StopSignals } from "./serve-deps.js";
import { type ServeState, loadServeState } from "./serve-state.js";
import { changesEveryMs, takeChanges, updateTargets } from "./update-targets.js";

export type ServeLoop = Awaited<ReturnType<typeof createServeLoop>>;

const mostAtOnce = 8;

const longestSleepMs = 10_000;

const hookPauseMs = 10_000;
const pruneEveryMs = 3_600_000;
const outboxMs = 24 * 3_600_000;

/** The loop: what is due is recomputed at every turn, so nothing is lost when an event is lost. */
export async function createServeLoop(fleet: Fleet, deps: ServeDeps) {
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
    const pruning = chore(pruneEveryMs, () => prune(state));
    const taking = chore(changesEveryMs, () => takeChanges(state));
    stop.addEventListener("abort", wake, { once: true });
    while (!stop.aborted) {
      const now = deps.clock.now();
      if (now < state.heartbeat) state.denied.clear();
      state.heartbeat = now;
      const fetches = state.fetchTimes(now);
      for (const { at, source } of fetches.slice(0, mostAtOnce - fetching)) {
        if (at > now) break;
        fetching += 1;
        const follow = () => followSource(state, source, stop);
        start(`the source ${source.name}`, follow, () => void (fetching -= 1));
      }
      const times = state.passTimes(now);
      const due = times.filter(({ at }) => at <= now).slice(0, mostAtOnce - state.passing.size);
      const accounts = due.map(({ account }) => account);
      const names = accounts.map(({ name }) => name).join(", ");
      const passes = { all: false, stop, hardStop, onEnd: wake };
      if (due.length > 0) start(`the accounts ${names}`, () => passAccounts(state, accounts, passes));
      const chores = deps.store.shared || state.damaged.size > 0 ? [pruning, taking] : [pruning];
      for (const one of chores) if (one.isDue(now)) start("what is done now and then", () => one.run(now));
      if (state.isStoreDown || (deps.store.shared && state.unsaved.history.length > 0)) await saveUnsaved(state);
      const until = Math.min(
        now + longestSleepMs,
        fetching < mostAtOnce ? (fetches.find(({ at }) => at > now)?.at ?? Infinity) : Infinity,
        times.find(({ at }) => at > now)?.at ?? Infinity,
        ...chores.map(({ at }) => at()),
      );
      await deps.clock.sleep(Math.max(0, until - deps.clock.now()), alarm.signal);
      alarm = new AbortController();
    }
    await Promise.all(running);
    await saveUnsaved(state);
  };

  return {
    state,
    run,
    changeFleet: async (changed: Fleet): Promise<void> => {
      await changeFleet(state, changed);
      wake();
    },
    markDue: (source: string): void => {
      const followed = state.sources.get(source);
      if (followed === undefined) return;
      followed.nextFetch = Math.min(followed.nextFetch, Math.max(state.now(), followed.fetchBegan + hookPauseMs));
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

async function prune(state: ServeState): Promise<void> {
  const now = state.now();
  await state.deps.store
    .prune(now - state.fleet.historyMs, now - outboxMs)
    .catch((error: unknown) => state.storeFailed(error));
}

/** As a restart does: every source is fetched, and every stack looked at. */
async function changeFleet(state: ServeState, fleet: Fleet): Promise<void> {
  const { emit } = state.deps;
  const { http } = state.fleet;
  state.fleet = fleet;
  for (const name of state.sources.keys()) if (!fleet.sources.has(name)) state.sources.delete(name);
  for (const name of fleet.sources.keys()) state.startSource(name, state.sources.get(name)?.record ?? null);
  for (const name of state.targets.keys()) state.markDue(name);
  for (const pass of state.passing.values()) pass.abort();
  await updateTargets(state);
  emit({ event: "fleet-loaded", fleet: fleet.file, stacks: state.targets.size });
  if (isDeepStrictEqual(http, fleet.http)) return;
  const message = "http changed: restart edgewise serve for it to take effect";
  emit({ event: "restart-needed", fleet: fleet.file, message });
}

export async function serveOnce(state: ServeState, signals: StopSignals): Promise<void> {
  const { stop } = signals;
  const { clock, dryRun } = state.deps;
  await sideBySide([...state.fleet.sources.values()], stop, (source) => followSource(state, source, stop));
  await sideBySide([...state.fleet.accounts.values()], stop, async (account) => {
    const targets = state.targetsOf(account.name);
    if (targets.length === 0) return;
    const rest = (await passInTurn(state, account, signals)) - clock.now();
    const isPending = targets.some(({ name }) => state.stacks.get(name)?.status.state === "pending");
    if (dryRun || rest <= 0 || !isPending) return;
    await clock.sleep(rest, stop);
    await passInTurn(state, account, signals);
  });
  await saveUnsaved(state);
}

async function passInTurn(state: ServeState, account: FleetAccount, signals: StopSignals): Promise<number> {
  while (!signals.stop.aborted) {
    const passed = await passAccounts(state, [account], { ...signals, all: true, onEnd: () => undefined });
    const quietUntil = passed.get(account.name);
    if (quietUntil !== undefined) return quietUntil;
    await state.deps.clock.sleep(deniedMs, signals.stop);
  }
  return 0;
}

export type OnceExit = 0 | 1 | 2 | 3 | 4;

/** 3 = failed or unknown (1 in a dry run); else 4 = refused; else 2 = something waits; else 0 = all in sync. */
export function onceExit({ deps, fleet, sources, stacks, targets }: ServeState): OnceExit {
  const known = [...new Set([...targets.keys(), ...stacks.keys()])];
  const states = new Set(known.map((name) => stacks.get(name)?.status.state ?? "unknown"));
  const unfollowed = [...fleet.sources.keys()].flatMap((name) => {
    const followed = sources.get(name);
    return followed?.record?.problem?.code ?? (followed?.expansion == null ? "unread" : []);
  });
  if (states.has("failed") || states.has("unknown") || unfollowed.some((code) => code !== "rewound"))
    return deps.dryRun ? 1 : 3;
  if (states.has("refused")) return 4;
  return unfollowed.length > 0 || [...states].some((state) => state !== "synced") ? 2 : 0;
}

async function sideBySide<T>(all: readonly T[], stop: AbortSignal, work: (one: T) => Promise<void>): Promise<void> {
  const waiting = [...all];
  const next = async (): Promise<void> => {
    for (let one = waiting.shift(); one !== undefined && !stop.aborted; one = waiting.shift()) await work(one);
  };
  await Promise.all(Array.from({ length: Math.min(mostAtOnce, all.length) }, next));
}
