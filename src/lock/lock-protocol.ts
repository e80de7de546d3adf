import { type LockObject, compareLocks, isExpired } from "../kinds/lock-object.js";

export type LockAction =
  | { readonly do: "list" | "create" }
  /** `settle`: lists may lag; `turn`: until it is worth looking again. */
  | Readonly<{ do: "pause"; for: "settle" | "turn" }>
  | Readonly<{ do: "renew" | "remove"; id: string }>
  /** Until a renewal or release. `expired` locks of others may be deleted. */
  | Readonly<{ do: "hold"; expired: readonly string[] }>
  | { readonly do: "end" };

/** `lost`: of unknown outcome (a list: it failed); `due`: a held lock is to be renewed. */
export type LockOutcome =
  | { readonly saw: "paused" | "lost" | "refused" | "gone" | "renewed" | "removed" | "due" }
  | Readonly<{ saw: "created"; id: string; since: string }>
  | Readonly<{ saw: "list"; locks: readonly LockObject[] }>;

export type LockEvent = LockOutcome &
  Readonly<{
    /** By a clock that never goes back; so `sentAt`. */
    now: number;
    /** By the service's clock, when the request was sent. */
    serviceNow: number;
    sentAt: number;
    stop: boolean;
  }>;

type ListEvent = Extract<LockEvent, { saw: "list" }>;

type OwnLock = Pick<LockObject, "id" | "since">;

/** Plain data, so that every possible sequence can be tried. */
export type LockState = Readonly<{
  at: "looking" | "creating" | "searching" | "waiting" | "renewing" | "held" | "removing" | "ended";
  own: OwnLock | null;
  renewedAt: number;
  holder: LockObject | null;
  /** The last list, a settle time ago, showed no other lock. */
  clear: boolean;
  ending: null | "stopped" | "timed-out" | "refused" | "removed";
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

const list = { do: "list" } as const;
const settling = { do: "pause", for: "settle" } as const;
const turn = { do: "pause", for: "turn" } as const;

export const lockStart: LockStep = {
  state: { at: "looking", own: null, renewedAt: 0, holder: null, clear: false, ending: null, leftover: false },
  action: list,
};

/** The other half keeps a distance from those who take it for expired. */
export function mayWrite(
  { at, renewedAt }: LockState,
  now: number,
  { leaseMs }: Pick<LockSettings, "leaseMs">,
): boolean {
  return at === "held" && now - renewedAt < leaseMs / 2;
}

/** Two runs never hold the lock at once as long as lists show each write within the settle time. */
export function lockStep(before: LockState, event: LockEvent, settings: LockSettings): LockStep {
  const state: LockState = event.stop && before.ending === null ? { ...before, ending: "stopped" } : before;
  return steps[state.at](state, event, settings);
}

type Step = (state: LockState, event: LockEvent, settings: LockSettings) => LockStep;

const steps: Readonly<Record<LockState["at"], Step>> = {
  looking(state, event, settings) {
    if (state.ending !== null || event.saw !== "list") return finish(state);
    const [holder = null] = othersIn(event, settings);
    if (holder !== null) return wait({ ...state, holder }, event, settings);
    return { state: { ...state, at: "creating", holder }, action: { do: "create" } };
  },
  creating(state, event) {
    if (event.saw === "refused") return finish(state, "refused");
    const sent = { ...state, renewedAt: event.sentAt, clear: false };
    if (event.saw === "created") return settle({ ...sent, own: { id: event.id, since: event.since } });
    // Even after a signal: an unknown lock would keep everybody out.
    return { state: { ...sent, at: "searching" }, action: settling };
  },
  searching(state, event, { run }) {
    if (event.saw === "paused") return { state, action: list };
    const found = event.saw === "list" ? event.locks.find((lock) => lock.run === run) : undefined;
    return found === undefined ? leave(state) : settle({ ...state, own: found });
  },
  waiting(state, event, settings) {
    if (state.ending !== null) return finish(state);
    if (state.own === null) return { state: { ...state, at: "looking" }, action: list };
    if (event.saw === "list") return checked({ ...state, own: state.own }, event, settings);
    return renewOr(state, event, settings, { state, action: list });
  },
  renewing(state, event, settings) {
    const own = event.saw === "gone" ? null : state.own;
    const next = { ...state, own, renewedAt: renewedAt(state, event) };
    return state.ending === null ? wait(next, event, settings) : finish(next);
  },
  held(state, event, settings) {
    if (event.saw === "gone") return finish({ ...state, own: null }, "removed");
    const next = { ...state, renewedAt: renewedAt(state, event) };
    if (state.ending !== null) return finish(next);
    return event.saw === "due" ? renewOr(next, event, settings, hold(next)) : hold(next);
  },
  /** A lock that may have been removed is never held. */
  removing(state, event) {
    if (event.saw !== "removed" && event.saw !== "gone") return leave(state);
    const next = { ...state, own: null };
    return state.ending === null ? { state: { ...next, at: "waiting" }, action: turn } : finish(next);
  },
  ended: (state) => ({ state, action: { do: "end" } }),
};

/** Alone it holds; else the first keeps its lock and the others withdraw. */
function checked(state: LockState & { readonly own: OwnLock }, event: ListEvent, settings: LockSettings): LockStep {
  const { own } = state;
  const [holder] = othersIn(event, settings);
  if (holder === undefined) {
    // The list is behind, or somebody removed the lock. Renewing tells.
    if (!event.locks.some(({ id }) => id === own.id)) return renew(state);
    // Lists must show what a run that just ended wrote.
    if (!state.clear) return { state: { ...state, holder: null, clear: true }, action: settling };
    const expired = event.locks.filter((lock) => lock.run !== settings.run).map(({ id }) => id);
    return renewOr(state, event, settings, hold(state, expired));
  }
  const waiting = { ...state, holder, clear: false };
  const withdraws = event.now < settings.giveUpAt && compareLocks(own, holder) > 0;
  return withdraws ? remove(waiting) : wait(waiting, event, settings);
}

function othersIn({ locks, serviceNow }: ListEvent, { run }: LockSettings): readonly LockObject[] {
  return locks.filter((lock) => lock.run !== run && !isExpired(lock, serviceNow)).toSorted(compareLocks);
}

function renewedAt(state: LockState, { saw, sentAt }: LockEvent) {
  return saw === "renewed" ? sentAt : state.renewedAt;
}

function settle(state: LockState): LockStep {
  return state.ending === null ? { state: { ...state, at: "waiting" }, action: settling } : finish(state);
}

function wait(state: LockState, { now }: LockEvent, { giveUpAt }: LockSettings): LockStep {
  return now >= giveUpAt ? finish(state, "timed-out") : { state: { ...state, at: "waiting" }, action: turn };
}

function hold(state: LockState, expired: readonly string[] = []): LockStep {
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

function remove(state: LockState): LockStep {
  if (state.own === null) return finish(state);
  return { state: { ...state, at: "removing" }, action: { do: "remove", id: state.own.id } };
}

function finish(state: LockState, because: LockState["ending"] = "stopped"): LockStep {
  const ended = { ...state, ending: state.ending ?? because };
  return state.own === null ? { state: { ...ended, at: "ended" }, action: { do: "end" } } : remove(ended);
}

function leave(state: LockState): LockStep {
  return finish({ ...state, own: null, leftover: true }, "refused");
}
