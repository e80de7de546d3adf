import { describe, expect, it } from "vitest";
import {
  type ScheduleInput,
  dueAt,
  oldestFirst,
  nextLookAfter,
  shownState,
} from "../../../src/serve/decide/schedule.ts";
import { type StackStatus, stackStates, unknownStatus } from "../../../src/serve/records.ts";
import { minute, noon, policy } from "../support/looks.ts";
import { windowsOf } from "../support/windows-of.ts";

const interval = 10 * minute;

function input(more: Partial<ScheduleInput>): ScheduleInput {
  return {
    status: { state: "synced", reason: null },
    failures: 0,
    policy,
    now: noon,
    random: 0.5,
    ...more,
  };
}

interface Looked {
  readonly record: { readonly status: StackStatus } | null;
}

function looked(more: Partial<StackStatus>): Looked {
  return { record: { status: { ...unknownStatus(0), state: "synced", ...more } } };
}

const chances = [0, 0.25, 0.5, 0.75, 0.999_999];
const waits = (more: Partial<ScheduleInput>): readonly number[] =>
  chances.map((chance) => (nextLookAfter(input({ random: chance, ...more })) - noon) / 1000);

describe("the next look", () => {
  it("comes after the interval, 10 % sooner or later", () => {
    const seconds = waits({});
    expect(seconds[0]).toBe(540);
    expect(seconds[2]).toBe(600);
    expect(seconds[4]).toBeCloseTo(660, 1);
  });

  it("comes after anything from a second to a bound that doubles with each failure, at most the interval", () => {
    const most = (failures: number): number =>
      waits({ status: { state: "failed", reason: null }, failures }).at(-1) ?? Number.NaN;
    expect([1, 2, 3, 4].map((failures) => Math.round(most(failures)))).toEqual([2, 4, 8, 16]);
    expect(Math.round(most(9))).toBe(512);
    expect(Math.round(most(10))).toBe(600);
    expect(Math.round(most(5000))).toBe(600);
    expect(waits({ status: { state: "failed", reason: null }, failures: 50 })[0]).toBe(1);
  });

  it("comes in a second when something is on its way, and within a minute while somebody holds the account's lock", () => {
    expect(waits({ status: { state: "pending", reason: null } })).toEqual([1, 1, 1, 1, 1]);
    expect(waits({ status: { state: "pending", reason: null }, dryRun: true })[0]).toBe(540);
    expect(waits({ status: { state: "waiting", reason: "locked" } })[4]).toBe(59.999);
  });

  it("comes within half a minute after a window opens or a suspension ends, when that is sooner", () => {
    const windows = windowsOf("fri 12:04-13:00 UTC");
    const window = { state: "waiting", reason: "window" } as const;
    const opening = waits({ status: window, policy: { ...policy, windows } });
    expect(opening[0]).toBe(240);
    expect(opening.every((seconds) => seconds >= 240 && seconds <= 270)).toBe(true);
    const suspended = { state: "waiting", reason: "suspended" } as const;
    const until = (time: number | null) => ({ ...policy, suspend: { until: time, reason: "audit" } });
    expect(waits({ status: suspended, policy: until(noon + 4 * minute) })[0]).toBe(240);
    expect(waits({ status: suspended, policy: until(noon + 900 * minute) })[2]).toBe(600);
  });

  it("is spread over the interval after a recovery", () => {
    const seconds = waits({ recovered: true });
    expect(seconds[0]).toBe(1);
    expect(seconds[2]).toBeCloseTo(300.5, 1);
    expect(seconds[4]).toBeCloseTo(600, 1);
  });
});

describe("due stacks", () => {
  it("are those whose time has come, never looked at first, then the oldest look", () => {
    const stacks = {
      later: looked({ lookedAt: noon - 1, nextLook: noon + 1 }),
      young: looked({ lookedAt: noon - minute, nextLook: noon }),
      old: looked({ lookedAt: noon - 5 * minute, nextLook: noon - minute }),
      never: { record: null },
      failing: looked({ lookedAt: null, nextLook: noon - 1 }),
    };
    const names = new Map(Object.entries<Looked>(stacks).map(([name, stack]) => [stack, name]));
    const due = Object.values<Looked>(stacks).filter(({ record }) => dueAt(record, interval, noon) <= noon);
    expect(oldestFirst(due, noon).map((stack) => names.get(stack))).toEqual(["never", "failing", "old", "young"]);
  });
});

describe("the state that is shown", () => {
  it.each(stackStates)(
    "%s is unknown after three intervals, unless looking is what fails, or Git what it is about",
    (state) => {
      const kept = state === "failed" || state === "orphaned";
      const shown = (lookedAt: number | null) => shownState({ state, lookedAt }, interval, noon);
      expect(shown(noon - 3 * interval)).toBe(state);
      expect(shown(noon - 3 * interval - 1)).toBe(kept ? state : "unknown");
      expect(shown(null)).toBe(kept ? state : "unknown");
      expect(shown(noon + 1000)).toBe(state);
      expect(shown(noon + 2 * minute)).toBe(kept ? state : "unknown");
    },
  );
});
