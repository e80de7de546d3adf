import type { LockObject } from "../../../src/kinds/lock-object.ts";
import {
  type LockEvent,
  type LockOutcome,
  type LockSettings,
  type LockState,
  type LockStep,
  lockStart,
  lockStep,
  mayWrite,
} from "../../../src/lock/lock-protocol.ts";

/** Time passes in steps of one minute, as long as an expired lock still counts. */
const tick = 60_000;

type Step = (state: LockState, event: LockEvent, settings: LockSettings) => LockStep;

/** The bounds of one exploration. Times are in ticks. */
export interface Bounds {
  /** How far the clock of each of the two runs is ahead of the service's. */
  readonly offsets: readonly [number, number];
  readonly lag: number;
  readonly settle: number;
  /** From a renewal to the end of a lock. */
  readonly lease: number;
  /** When the exploration ends; absent = never: it covers all time. */
  readonly ticks?: number;
  readonly lost: number;
  readonly crashes: number;
  readonly signals: number;
  /** By how much the service's creation times may be too early, so that they contradict the order of creation. */
  readonly skew: number;
  readonly holdersOnly?: boolean;
  readonly step?: Step;
  readonly writes?: typeof mayWrite;
}

export interface Explored {
  readonly states: number;
  readonly transitions: number;
  readonly ended: number;
  /** How many states had a holder after another one. */
  readonly handed: number;
  /** The steps to the first state that must not be; null = there is none. */
  readonly wrong: { readonly what: string; readonly trace: readonly string[] } | null;
}

/** A lock in the service. A renewal keeps the end before it, which lists that lag may still show. */
interface Stored {
  readonly id: string;
  readonly run: number;
  readonly since: number;
  readonly made: number;
  readonly until: number;
  readonly before: number;
  readonly renewed: number;
  readonly deleted: number | null;
}

interface Run {
  readonly step: LockStep;
  readonly sentAt: number;
  readonly crashed: boolean;
}

interface World {
  readonly t: number;
  /** When each run could last write; null = never. */
  readonly wrote: readonly (number | null)[];
  /** Whether a run came to hold the lock before lists had to show what the last holder wrote. */
  readonly early: boolean;
  readonly stored: readonly Stored[];
  readonly runs: readonly Run[];
  readonly made: number;
  readonly lost: number;
  readonly crashes: number;
  readonly signals: number;
}

type Next = readonly [what: string, world: World];

export function explore(bounds: Bounds): Explored {
  const model = new Model(bounds);
  const seen = new Set<number>();
  let layer: { readonly world: World; readonly path: Path | null }[] = [{ world: model.start(), path: null }];
  let [transitions, ended, handed] = [0, 0, 0];
  while (layer.length > 0) {
    const next: typeof layer = [];
    for (const { world, path } of layer) {
      const what = model.wrong(world);
      if (what !== null)
        return { states: seen.size, transitions, ended, handed, wrong: { what, trace: traceOf(path) } };
      const holder = world.runs.findIndex(({ step }) => step.state.at === "held");
      if (holder >= 0 && world.wrote.some((at, run) => at !== null && run !== holder)) handed += 1;
      if (world.runs.every(({ step }) => step.state.at === "ended")) ended += 1;
      for (const [label, after] of model.next(world)) {
        transitions += 1;
        const key = hash(model.keyOf(after));
        if (seen.has(key)) continue;
        seen.add(key);
        next.push({ world: after, path: { label, before: path } });
      }
    }
    layer = next;
  }
  return { states: seen.size, transitions, ended, handed, wrong: null };
}

interface Path {
  readonly label: string;
  readonly before: Path | null;
}

function traceOf(path: Path | null): readonly string[] {
  const labels: string[] = [];
  for (let at = path; at !== null; at = at.before) labels.unshift(at.label);
  return labels;
}

/** 53 bits of two FNV-1a hashes: among a million states, the chance that two share one is one in ten thousand. */
function hash(text: string): number {
  let [a, b] = [0x811c9dc5, 0x01000193];
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    a = Math.imul(a ^ code, 0x01000193);
    b = Math.imul(b ^ code, 0x5bd1e995) ^ (b >>> 15);
  }
  return (a >>> 0) * 0x200000 + ((b >>> 0) & 0x1fffff);
}

const gone: LockState = {
  at: "ended",
  own: null,
  renewedAt: 0,
  holder: null,
  clear: false,
  ending: "stopped",
  leftover: true,
};

class Model {
  readonly #bounds: Bounds;
  readonly #step: Step;
  readonly #writes: typeof mayWrite;
  /** In ticks from now: an end before this is long past for everybody. */
  readonly #leastEnd: number;
  readonly #orders: readonly (readonly number[])[];

  constructor(bounds: Bounds) {
    this.#bounds = bounds;
    this.#step = bounds.step ?? lockStep;
    this.#writes = bounds.writes ?? mayWrite;
    const { offsets } = bounds;
    this.#leastEnd = -(2 + Math.max(...offsets.map(Math.abs)));
    this.#orders =
      offsets[0] === offsets[1]
        ? [
            [0, 1],
            [1, 0],
          ]
        : [[0, 1]];
  }

  start(): World {
    const { crashes, lost, offsets, signals } = this.#bounds;
    const run: Run = { step: lockStart, sentAt: 0, crashed: false };
    const wrote = offsets.map(() => null);
    return {
      t: 0,
      wrote,
      early: false,
      stored: [],
      runs: offsets.map(() => run),
      made: 0,
      lost,
      crashes,
      signals,
    };
  }

  /**
   * The same for states that differ in nothing but the time, the names of locks and which of two equal runs is which. So
   * there are finitely many, and the exploration covers all time.
   */
  keyOf(world: World): string {
    const { crashes, lost, signals, t } = world;
    const names = namesOf(world);
    const parts = world.runs.map((_, index) => this.#keyOfRun(world, index, names));
    // Which of two equal runs made a lock still matters: the smallest text of all orders stands for them.
    const keys = this.#orders.map(
      (order) => `${order.map((run) => parts[run]).join("|")}|${this.#keyOfLocks(world, order, names)}`,
    );
    return `${lost},${crashes},${signals},${this.#bounds.ticks === undefined ? "" : t}|${keys.toSorted()[0]}`;
  }

  #keyOfLocks({ stored, t }: World, order: readonly number[], names: ReadonlyMap<string, number>): string {
    const { lag, skew } = this.#bounds;
    const end = (until: number): number => Math.max(this.#leastEnd, until / tick - t);
    let key = "";
    for (const lock of stored) {
      const age = Math.min(lag, t - lock.renewed);
      const before = age < lag ? end(lock.before) : "";
      const deleted = lock.deleted === null ? "" : t - lock.deleted;
      const [made, since] = [Math.min(lag, t - lock.made), Math.max(-1 - skew, lock.since - t)];
      key += `${names.get(lock.id)},${order.indexOf(lock.run)},${made},${since},${end(lock.until)},${before},${age},${deleted};`;
    }
    return key;
  }

  #keyOfRun({ runs, t, wrote: allWrote }: World, index: number, names: ReadonlyMap<string, number>): string {
    const run = runs[index];
    if (run === undefined) return "";
    const { lag, lease, settle } = this.#bounds;
    const { action, state } = run.step;
    const wrote = allWrote[index] ?? null;
    const sinceWrite = wrote === null ? lag : Math.min(lag, t - wrote);
    const key = `${sinceWrite},${state.at},${state.clear},${state.ending},${state.leftover},${run.crashed}`;
    if (state.at === "ended") return key;
    const since = t - run.sentAt / tick;
    const id = "id" in action ? names.get(action.id) : "";
    const isMade = state.own !== null || action.do === "create";
    const age = isMade ? Math.min(lease / 2, (this.#clock(t, index) - state.renewedAt) / tick) : "";
    const own = state.own === null ? "" : names.get(state.own.id);
    return `${key},${action.do},${id},${own},${age},${detailOf(action, since, settle, lease)}`;
  }

  /** What must never be: two that may write, or a run that ended well and left a lock. */
  wrong({ early, runs, stored, t }: World): string | null {
    const writers = runs.filter(
      (run, index) => !run.crashed && this.#writes(run.step.state, this.#clock(t, index), this.#settings(index)),
    );
    if (writers.length > 1) return "two holders";
    if (this.#bounds.holdersOnly === true) return null;
    if (early) return "a plan without the last writes";
    const left = stored.some(({ deleted, run }) => {
      const state = runs[run]?.step.state;
      return deleted === null && state?.at === "ended" && !state.leftover;
    });
    return left ? "a lock was left behind" : null;
  }

  next(world: World): readonly Next[] {
    const nexts: Next[] = [];
    if (world.t < (this.#bounds.ticks ?? Infinity))
      nexts.push(["a minute passes", this.#written(this.#tidy({ ...world, t: world.t + 1 }))]);
    for (const [index, run] of world.runs.entries()) {
      if (run.step.state.at === "ended") continue;
      if (world.crashes > 0) {
        const crashed: Run = { step: { state: gone, action: { do: "end" } }, sentAt: 0, crashed: true };
        nexts.push([`${index} crashes`, replace({ ...world, crashes: world.crashes - 1 }, index, crashed)]);
      }
      nexts.push(...this.#carryOut(world, index, run));
    }
    return nexts;
  }

  #tidy(world: World): World {
    const { lag } = this.#bounds;
    return { ...world, stored: world.stored.filter(({ deleted }) => deleted === null || world.t - deleted < lag) };
  }

  #written(world: World): World {
    const { runs, t } = world;
    const wrote = world.wrote.map((before, index) => {
      const run = runs[index];
      const writes = run !== undefined && this.#writes(run.step.state, this.#clock(t, index), this.#settings(index));
      return writes ? t : before;
    });
    return { ...world, wrote };
  }

  #clock(t: number, index: number): number {
    return (t + (this.#bounds.offsets[index] ?? 0)) * tick;
  }

  #settings(index: number): LockSettings {
    return { run: String(index), leaseMs: this.#bounds.lease * tick, giveUpAt: Infinity };
  }

  #carryOut(world: World, index: number, run: Run): readonly Next[] {
    const { action, state } = run.step;
    const { stored, t } = world;
    // The answer comes at once: later, a run could do no more than it can do now.
    const answered = (what: string, answer: LockOutcome, after: World = world): readonly Next[] =>
      this.#deliver(after, index, run, answer).map(([seen, then]): Next => [`${index} ${what}: ${seen}`, then]);
    const lost = (what: string, after: World): readonly Next[] =>
      world.lost === 0 ? [] : answered(`${what}, answer lost`, { saw: "lost" }, { ...after, lost: world.lost - 1 });
    switch (action.do) {
      case "list":
        return this.#views(stored, t).flatMap((locks) =>
          answered(`lists ${locks.map(({ id }) => id).join()}`, { saw: "list", locks }),
        );
      case "pause": {
        const ticks = action.for === "settle" ? this.#bounds.settle : 0;
        return t * tick >= run.sentAt + ticks * tick ? answered("wakes", { saw: "paused" }) : [];
      }
      case "create": {
        const id = `lock${String(world.made).padStart(4, "0")}`;
        const until = this.#clock(run.sentAt / tick, index) + this.#bounds.lease * tick;
        const { skew } = this.#bounds;
        return (skew === 0 ? [0] : [0, -skew]).flatMap((ahead): readonly Next[] => {
          const lock: Stored = {
            id,
            run: index,
            since: t + ahead,
            made: t,
            until,
            before: until,
            renewed: t,
            deleted: null,
          };
          const after = { ...world, stored: [...stored, lock], made: world.made + 1 };
          const answer = { saw: "created", id, since: iso((t + ahead) * tick) } as const;
          return [
            ...answered(`creates ${id}`, answer, after),
            ...lost(`creates ${id}`, after),
            ...lost("creates nothing", world),
          ];
        });
      }
      case "renew": {
        if (!stored.some(({ deleted, id }) => id === action.id && deleted === null))
          return answered("finds its lock gone", { saw: "gone" });
        const until = this.#clock(run.sentAt / tick, index) + this.#bounds.lease * tick;
        const after = changed(world, action.id, (lock) => ({ ...lock, until, before: lock.until, renewed: t }));
        return [
          ...answered("renews", { saw: "renewed" }, after),
          ...lost("renews", after),
          ...lost("renews nothing", world),
        ];
      }
      case "remove": {
        if (!stored.some(({ deleted, id }) => id === action.id && deleted === null))
          return answered("finds its lock gone", { saw: "gone" });
        const after = changed(world, action.id, (lock) => ({ ...lock, deleted: t }));
        return [
          ...answered("removes", { saw: "removed" }, after),
          ...lost("removes", after),
          ...lost("removes nothing", world),
        ];
      }
      case "hold": {
        const after = action.expired.reduce(
          (now, id) => changed(now, id, (lock) => ({ ...lock, deleted: lock.deleted ?? t })),
          world,
        );
        const isOld = this.#clock(t, index) - state.renewedAt >= (this.#bounds.lease * tick) / 3;
        return [
          ...(isOld ? answered("is to renew", { saw: "due" }, after) : []),
          [`${index} is done`, this.#after(after, index, run, { saw: "paused" }, true)],
        ];
      }
      case "end":
        return [];
    }
  }

  /** Every list that the service may give: what changed within the lag is shown as it is, or as it was. */
  #views(stored: readonly Stored[], t: number): readonly (readonly LockObject[])[] {
    const { lag } = this.#bounds;
    let views: LockObject[][] = [[]];
    for (const lock of stored) {
      const isNew = t - lock.made < lag;
      const ends = t - lock.renewed < lag ? [...new Set([lock.until, lock.before])] : [lock.until];
      const shown = ends.map((until) => shownAs(lock, until));
      const isHidden = isNew || lock.deleted !== null;
      views = views.flatMap((view) => [...(isHidden ? [view] : []), ...shown.map((one) => [...view, one])]);
    }
    return views;
  }

  #deliver(world: World, index: number, run: Run, answer: LockOutcome): readonly Next[] {
    const plain: Next = [answer.saw, this.#after(world, index, run, answer, false)];
    const { at, ending } = run.step.state;
    if (world.signals === 0 || at === "held" || ending !== null) return [plain];
    const signalled = this.#after({ ...world, signals: world.signals - 1 }, index, run, answer, true);
    return [plain, [`${answer.saw}, and a signal`, signalled]];
  }

  #after(world: World, index: number, run: Run, outcome: LockOutcome, stop: boolean): World {
    const now = this.#clock(world.t, index);
    const offset = (this.#bounds.offsets[index] ?? 0) * tick;
    const event = { ...outcome, now, serviceNow: now, sentAt: run.sentAt + offset, stop };
    const step = this.#step(run.step.state, event, this.#settings(index));
    // Whom it waits for is for people.
    const state = { ...step.state, holder: null };
    const begins = state.at === "held" && run.step.state.at !== "held";
    const isEarly = (at: number | null, other: number): boolean =>
      begins && other !== index && at !== null && world.t - at < this.#bounds.lag;
    const early = world.early || world.wrote.some(isEarly);
    const after = replace({ ...world, early }, index, {
      step: { ...step, state: state.at === "ended" ? { ...gone, leftover: state.leftover } : state },
      sentAt: state.at === "ended" ? 0 : world.t * tick,
      crashed: false,
    });
    return this.#written(after);
  }
}

function detailOf(action: LockStep["action"], since: number, settle: number, lease: number): string | number {
  switch (action.do) {
    case "pause":
      return action.for === "settle" ? `settle${Math.min(settle, since)}` : "turn";
    case "create":
    case "renew":
      return Math.min(lease, since);
    case "hold":
      return action.expired.length;
    default:
      return "";
  }
}

function shownAs({ id, run, since }: Stored, until: number): LockObject {
  return { id, stack: "", run: String(run), by: "", since: iso(since * tick), until: iso(until) };
}

const texts = new Map<number, string>();

function iso(ms: number): string {
  const text = texts.get(ms) ?? new Date(ms).toISOString();
  texts.set(ms, text);
  return text;
}

function changed(world: World, id: string, change: (lock: Stored) => Stored): World {
  return { ...world, stored: world.stored.map((lock) => (lock.id === id ? change(lock) : lock)) };
}

function replace(world: World, index: number, run: Run): World {
  return { ...world, runs: world.runs.with(index, run) };
}

function namesOf({ runs, stored }: World): ReadonlyMap<string, number> {
  const known = new Map<string, number>();
  for (const { id, since } of stored) known.set(id, since * tick);
  for (const { step } of runs) {
    const { own } = step.state;
    if (own !== null && !known.has(own.id)) known.set(own.id, Date.parse(own.since));
  }
  if (known.size < 2) return new Map([...known.keys()].map((id) => [id, 0]));
  const sorted = [...known].sort(([a, x], [b, y]) => x - y || (a < b ? -1 : 1));
  return new Map(sorted.map(([id], index) => [id, index]));
}
