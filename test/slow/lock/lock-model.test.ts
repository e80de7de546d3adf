import { describe, expect, it } from "vitest";
import { type LockEvent, type LockSettings, type LockState, lockStep } from "../../../src/lock/lock-protocol.ts";
import { usuallyOr } from "../../support/runs.ts";
import { type Bounds, explore } from "./lock-model.ts";

/** A lock of three minutes has half as many states as one of five, but is always renewed before it is held. */
const short = usuallyOr(3, 5);

/** Two runs, to the end of time; lists lag by up to the settle time; nothing else goes wrong. */
const two: Bounds = { offsets: [0, 0], lag: 1, settle: 1, lease: 5, lost: 0, crashes: 0, signals: 0, skew: 0 };

describe("the protocol of the account's lock, in every order of everything that can happen", () => {
  it.each<[string, Partial<Bounds>]>([
    ["two runs, one of which may crash at any step", { crashes: 1, lease: short }],
    ["two runs, a signal at any step", { signals: 1, lease: short }],
    ["two runs, one answer lost", { lost: 1, lease: short }],
    ["clocks that differ", { offsets: [1, -1], crashes: usuallyOr(0, 1), lease: short }],
    ["creation times that contradict the order of creation", { skew: usuallyOr(1, 2), lease: short }],
  ])(
    "never has two holders, nor leaves a lock: %s",
    (what, more) => {
      const { wrong, ...figures } = explore({ ...two, ...more });
      console.log(`${what}: ${JSON.stringify(figures)}`);
      expect(wrong).toBeNull();
      expect(figures.handed).toBeGreaterThan(200);
      expect(figures.ended).toBeGreaterThan(20);
      expect(figures.states).toBeGreaterThan(10_000);
    },
    300_000,
  );

  it("has two holders when lists lag longer than the settle time: that is what it does not promise", () => {
    const { wrong } = explore({ ...two, lag: 3, ticks: 2, holdersOnly: true });
    expect(wrong?.what).toBe("two holders");
    // Both have created their locks, and neither is shown the other's.
    expect(wrong?.trace.filter((step) => step.includes("creates"))).toHaveLength(2);
  });
});

describe("the exploration", () => {
  type Step = NonNullable<Bounds["step"]>;

  const told =
    (change: (event: LockEvent, state: LockState, settings: LockSettings) => LockEvent): Step =>
    (state, event, settings) =>
      lockStep(state, change(event, state, settings), settings);

  const skipsSettling: Step = (state, event, settings) => {
    const next = lockStep(state, event, settings);
    return next.action.do === "pause" && next.action.for === "settle"
      ? lockStep(next.state, { ...event, saw: "paused" }, settings)
      : next;
  };

  const ignoresOthers = told((event, { own }, { run }) =>
    event.saw === "list" && own !== null ? { ...event, locks: event.locks.filter((lock) => lock.run === run) } : event,
  );

  /** As the protocol once did: it holds as soon as a list shows no other lock. */
  const hurries: Step = (state, event, settings) => lockStep({ ...state, clear: true }, event, settings);

  it.each<[string, Partial<Bounds>]>([
    ["does not wait until lists have settled", { step: skipsSettling }],
    ["ignores the locks of others", { step: ignoresOthers }],
    ["writes although the lock was not renewed", { writes: ({ at }) => at === "held", lease: 3 }],
  ])(
    "finds the mistake of a protocol that %s",
    (_, more) => {
      const { wrong } = explore({ ...two, holdersOnly: true, ...more });
      expect(wrong?.what).toBe("two holders");
    },
    300_000,
  );

  // No other lock need ever be seen: it was made after the first list, and is gone before the next one.
  it("finds the mistake of a protocol that plans before lists show what the last holder wrote", () => {
    expect(explore({ ...two, step: hurries }).wrong?.what).toBe("a plan without the last writes");
  });
});
