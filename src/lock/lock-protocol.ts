import { type LockObject, compareLocks, isExpired } from "../kinds/lock-object.js";

export type LockAction =
  | { readonly do: "list" }
  | { readonly do: "create" }
  /** `settle`: lists may lag; `turn`: until it is worth looking again. */
  | Readonly<{ do: "pause"; for: "settle" | "turn" }>
  | Readonly<{ do: "renew"; id: string }>
  | Readonly<{ do: "remove"; id: string }>
  /** Until a renewal or release. `expired` locks of others may be deleted. */
  | Readonly<{ do: "hold"; expired: readonly string[] }>
  | { readonly do: "end" };

/** `lost`: of unknown outcome (a list: it failed); `due`: a held lock is to be renewed. */
export type LockOutcome =
  | { readonly saw: "start" | "paused" | "lost" | "refused" | "gone" | "renewed" | "removed" | "due" }
  | Readonly<{ saw: "created"; id: string; since: string }>
  | Readonly<{ saw: "list"; locks: readonly LockObject[] }>;

export type LockEvent = LockOutcome &
  Readonly<{
    /** By a clock that never goes back; so `sentAt`. */
    now: number;
    /** By the service's clock when the request was sent: what a list shows is at least as old. */
    serviceNow: number;
    sentAt: number;
    stop: boolean;
  }>;

type ListEvent = Extract<LockEvent, { saw: "list" }>;

type OwnLock = Pick<LockObject, "id" | "since">;

/** Plain data, so that every possible sequence can be tried. */
export type LockState = Readonly<{
  at: "looking" | "creating" | "searching" | "waiting" | "renewing" | "held" | "removing" | "sweeping" | "ended";
  own: OwnLock | null;
  /** When the last renewal was sent. */
  renewedAt: number;
  /** Lost creates whose locks may still appear. */
  lost: number;
  holder: LockObject | null;
  /** The last list, a settle time ago, showed no other lock. */
  clear: boolean;
  /** `removed`: by somebody else. */
  ending: null | "stopped" | "timed-out" | "refused" | "removed";
  /** A lock of its own may be left behind. */
  leftover: boolean;
}>;

export type LockSettings = Readonly<{
  run: string;
  leaseMs: number;
  giveUpAt: number;
}>;

export type LockStep = Readonly<{
  state: LockState;
  action: LockAction;
}>;

const maxLost = 3;

export const lockStart: LockStep = {
  state: { at: "looking", own: null, renewedAt: 0, lost: 0, holder: null, clear: false, ending: null, leftover: false },
  action: { do: "list" },
};

/** The other half keeps a distance from those who take it for expired. */
export function mayWrite(
  { at, renewedAt }: LockState,
  now: number,
  { leaseMs }: Pick<LockSettings, "leaseMs">,
): boolean {
  return at === "held" && now - renewedAt < leaseMs / 2;
}

/** Two runs never hold the lock at one time as long as lists show each write within the settle time. */
export function lockStep(before: LockState, event: LockEvent, settings: LockSettings): LockStep {
  const state: LockState = event.stop && before.ending === null ? { ...before, ending: "stopped" } : before;
  return steps[state.at](state, event, settings);
}

type Step = (state: LockState, event: LockEvent, settings: LockSettings) => LockStep;

const steps: { readonly [At in LockState["at"]]: Step } = {
  looking: looked,
  creating: created,
  searching: searched,
  waiting: (state, event, settings) =>
    event.saw === "list" ? checked(state, event, settings) : look(state, event, settings),
  renewing: renewed,
  held,
  removing: removed,
  sweeping: swept,
  ended: (state) => ({ state, action: { do: "end" } }),
};

function looked(state: LockState, event: LockEvent, settings: LockSettings): LockStep {
  if (state.ending !== null || event.saw !== "list") return finish(state);
  const [holder = null] = othersIn(event, settings);
  if (holder !== null) return wait({ ...state, holder }, event, settings);
  return { state: { ...state, at: "creating", holder }, action: { do: "create" } };
}

function created(state: LockState, event: LockEvent): LockStep {
  const settling = { do: "pause", for: "settle" } as const;
  const sent = { ...state, renewedAt: event.sentAt, clear: false };
  if (event.saw === "created") {
    const own = { id: event.id, since: event.since };
    if (state.ending !== null) return finish({ ...sent, own });
    return { state: { ...sent, at: "waiting", own }, action: settling };
  }
  if (event.saw === "refused") return finish({ ...state, ending: state.ending ?? "refused" });
  // Even after a signal: an unknown lock would keep everybody out.
  return { state: { ...sent, at: "searching", lost: state.lost + 1 }, action: settling };
}

function searched(state: LockState, event: LockEvent, { run }: LockSettings): LockStep {
  if (event.saw === "paused") return { state, action: { do: "list" } };
  const found = event.saw === "list" ? event.locks.find((lock) => lock.run === run) : undefined;
  if (found !== undefined) {
    const next = { ...state, own: { id: found.id, since: found.since } };
    return state.ending === null
      ? { state: { ...next, at: "waiting" }, action: { do: "pause", for: "settle" } }
      : finish(next);
  }
  if (state.ending === null && state.lost < maxLost)
    return { state: { ...state, at: "looking" }, action: { do: "list" } };
  return { state: { ...state, at: "ended", ending: state.ending ?? "refused", leftover: true }, action: { do: "end" } };
}

function look(state: LockState, event: LockEvent, settings: LockSettings): LockStep {
  if (state.ending !== null) return finish(state);
  if (state.own === null) return { state: { ...state, at: "looking" }, action: { do: "list" } };
  return renewOr(state, event, settings, { state, action: { do: "list" } });
}

/** Alone it holds; else the first keeps its lock and the others withdraw. */
function checked(state: LockState, event: ListEvent, settings: LockSettings): LockStep {
  const { own } = state;
  if (own === null || state.ending !== null) return finish(state);
  const others = othersIn(event, settings);
  const [holder] = others;
  if (holder === undefined) {
    // The list is behind, or somebody removed the lock. Renewing tells.
    if (!event.locks.some(({ id }) => id === own.id)) return renew(state);
    // Lists must show what a run that just ended wrote.
    if (!state.clear) return { state: { ...state, holder: null, clear: true }, action: { do: "pause", for: "settle" } };
    const expired = event.locks.filter((lock) => lock.run !== settings.run).map(({ id }) => id);
    return renewOr(state, event, settings, hold(state, expired));
  }
  const waiting = { ...state, holder, clear: false };
  if (event.now >= settings.giveUpAt) return finish({ ...waiting, ending: "timed-out" });
  return compareLocks(own, holder) < 0 ? wait(waiting, event, settings) : remove(waiting);
}

function othersIn({ locks, serviceNow }: ListEvent, { run }: LockSettings): readonly LockObject[] {
  return locks.filter((lock) => lock.run !== run && !isExpired(lock, serviceNow)).toSorted(compareLocks);
}

function wait(state: LockState, event: LockEvent, { giveUpAt }: LockSettings): LockStep {
  if (event.now >= giveUpAt) return finish({ ...state, ending: "timed-out" });
  return { state: { ...state, at: "waiting" }, action: { do: "pause", for: "turn" } };
}

function hold(state: LockState, expired: readonly string[]): LockStep {
  return { state: { ...state, at: "held" }, action: { do: "hold", expired } };
}

/** Others may take a lock that was not renewed for expired soon. */
function renewOr(state: LockState, { now }: LockEvent, { leaseMs }: LockSettings, otherwise: LockStep): LockStep {
  const age = now - state.renewedAt;
  // A holder waits for what it has sent, and sends nothing more.
  if (age >= leaseMs / 2) return state.at === "held" ? otherwise : remove(state);
  return age >= leaseMs / 3 ? renew(state) : otherwise;
}

function renew(state: LockState): LockStep {
  if (state.own === null) return finish(state);
  const at = state.at === "held" ? "held" : "renewing";
  return { state: { ...state, at }, action: { do: "renew", id: state.own.id } };
}

function renewed(state: LockState, event: LockEvent, settings: LockSettings): LockStep {
  const own = event.saw === "gone" ? null : state.own;
  const renewedAt = event.saw === "renewed" ? event.sentAt : state.renewedAt;
  if (state.ending !== null) return finish({ ...state, own });
  return wait({ ...state, own, renewedAt }, event, settings);
}

function held(state: LockState, event: LockEvent, settings: LockSettings): LockStep {
  if (event.saw === "gone") return finish({ ...state, own: null, ending: state.ending ?? "removed" });
  const renewedAt = event.saw === "renewed" ? event.sentAt : state.renewedAt;
  const next = { ...state, renewedAt };
  if (next.ending !== null) return finish(next);
  if (event.saw === "due") return renewOr(next, event, settings, hold(next, []));
  return hold(next, []);
}

function remove(state: LockState): LockStep {
  if (state.own === null) return finish(state);
  return { state: { ...state, at: "removing" }, action: { do: "remove", id: state.own.id } };
}

/** A lock that may be removed is never held: it is removed again. */
function removed(state: LockState, event: LockEvent): LockStep {
  const turn = { do: "pause", for: "turn" } as const;
  if (event.saw === "removed" || event.saw === "gone") {
    const next = { ...state, own: null };
    return next.ending === null ? { state: { ...next, at: "waiting" }, action: turn } : finish(next);
  }
  if (event.saw === "paused") return remove(state);
  if (state.ending === null) return { state, action: turn };
  return { state: { ...state, at: "ended", leftover: true }, action: { do: "end" } };
}

/** Removes its own lock, then what lost creates may have left. */
function finish(state: LockState): LockStep {
  if (state.own !== null) return remove(state);
  if (state.lost > 0) return { state: { ...state, at: "sweeping", lost: state.lost - 1 }, action: { do: "list" } };
  return { state: { ...state, at: "ended", ending: state.ending ?? "stopped" }, action: { do: "end" } };
}

function swept(state: LockState, event: LockEvent, { run }: LockSettings): LockStep {
  const left = event.saw === "list" ? event.locks.find((lock) => lock.run === run) : undefined;
  return finish(left === undefined ? state : { ...state, own: { id: left.id, since: left.since } });
}
