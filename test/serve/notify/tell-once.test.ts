import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { StackStatus } from "../../../src/serve/records.ts";
import { SharedTold } from "./support/shared-told.ts";
import { runs } from "../../support/runs.ts";

/** What may happen, one after the other; times are in milliseconds. */
type Step =
  | { readonly does: "wait"; readonly ms: number }
  | {
      readonly does: "find";
      readonly by: number;
      readonly stack: string;
      readonly state: number;
      readonly drift: boolean;
    }
  | { readonly does: "heal"; readonly by: number; readonly quick: boolean }
  | { readonly does: "elect"; readonly who: number | null }
  | { readonly does: "receive"; readonly how: "takes" | "refuses" | "lost" }
  | { readonly does: "kill"; readonly who: number };

const process = fc.nat({ max: 2 });
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ does: fc.constant("wait" as const), ms: fc.constantFrom(3, 20, 210, 900, 4000) }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      does: fc.constant("find" as const),
      by: process,
      stack: fc.constantFrom("s1", "s2"),
      state: fc.nat({ max: 3 }),
      drift: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: fc.record({ does: fc.constant("heal" as const), by: process, quick: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant("elect" as const), who: fc.option(process) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      does: fc.constant("receive" as const),
      how: fc.constantFrom("takes" as const, "refuses" as const, "lost" as const),
    }),
  },
  { weight: 1, arbitrary: fc.record({ does: fc.constant("kill" as const), who: process }) },
);

const states = [
  { state: "synced", reason: null },
  { state: "failed", reason: null },
  { state: "waiting", reason: "approval" },
  { state: "orphaned", reason: null },
] as const;

/** How a stack is, and since when what lasts. */
interface Known {
  readonly state: number;
  readonly since: number;
  /** Which drift it is; 0 = none. */
  readonly drift: number;
}

/** Plays the steps, lets everything settle, and says what became of it. */
async function play(steps: readonly Step[]) {
  const shared = new SharedTold();
  const known = new Map<string, Known>();
  /** The times by which each drift could be named. */
  const drifts: { readonly stack: string; readonly looks: Set<number> }[] = [];
  const heals: number[] = [];
  shared.elect("p0");
  let born = 0;
  const spawn = () => shared.start(`p${(born += 1) - 1}`);
  const alive = [await spawn(), await spawn(), await spawn()];
  await shared.clock.sleep(3000);
  const find = async (by: number, stack: string, state: number, drift: boolean): Promise<void> => {
    const now = shared.clock.now();
    const before = known.get(stack);
    const since = before?.state === state ? before.since : now;
    let which = drift ? (before?.drift ?? 0) : 0;
    if (drift && which === 0) which = drifts.push({ stack, looks: new Set() });
    if (drift) drifts[which - 1]?.looks.add(now);
    known.set(stack, { state, since, drift: which });
    const changes: StackStatus["changes"] = { commit: 0, drift: drift ? 1 : 0, both: 0 };
    // One pass of a stack at a time, with its beginning and its end.
    await alive[by]?.find(stack, { ...states[state], since, lookedAt: now, changes });
  };
  for (const each of steps) {
    if (each.does === "wait") await shared.clock.sleep(each.ms);
    if (each.does === "find") await find(each.by, each.stack, each.state, each.drift);
    if (each.does === "elect") shared.elect(each.who === null ? null : (alive[each.who]?.name ?? null));
    if (each.does === "receive") shared.receive = () => each.how;
    if (each.does === "heal") {
      heals.push(shared.clock.now());
      alive[each.by]?.heal("healed");
      await shared.clock.sleep(each.quick ? 20 : 1500);
      await find(each.by, "healed", 0, false);
      // Two in the time that nobody hears of either are one.
      await shared.clock.sleep(20);
    }
    if (each.does === "kill") {
      alive[each.who]?.kill();
      alive[each.who] = await spawn();
    }
    await shared.clock.sleep(1);
  }
  shared.receive = () => "takes";
  const last = alive.find(({ name }) => name === shared.teller) ?? alive[0];
  shared.elect(last?.name ?? null);
  await shared.clock.sleep(700_000);
  const events = shared.processes.flatMap((one) => one.events);
  await shared.end();
  return { shared, known, drifts, heals, events };
}

describe("several processes over one store, whatever happens", () => {
  it("tell everything that lasts, once unless its sender was cut off, and each thing by one id", async () => {
    const covered = { heals: 0, twice: 0, drifts: 0 };
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 25 }), async (steps) => {
        const { drifts, events, heals, known, shared } = await play(steps);
        const all = shared.taken.map(({ notification }) => notification);
        const at = (event: string, stack: string): readonly number[] =>
          all.filter((one) => one.event === event && one.stack === stack).map((one) => Date.parse(one.at));
        for (const [stack, { drift, since, state }] of known) {
          const event = [null, "failed", "waiting", "orphaned"][state] ?? null;
          // What lasts was told, whoever saw it.
          if (event !== null) expect(at(event, stack)).toContain(since);
          // An end of it that nobody saw who told was none.
          if (drift > 0) expect(at("drift", stack)).not.toEqual([]);
        }
        for (const { looks, stack } of drifts)
          expect(new Set(at("drift", stack).filter((time) => looks.has(time))).size).toBeLessThanOrEqual(1);
        // Drift that was put back, of which nothing but what was left tells.
        const healed = new Set(at("drift", "healed"));
        for (const time of healed) expect(heals).toContain(time);
        if (heals.length > 0) expect(healed.size).toBeGreaterThan(0);
        expect(shared.heals).toEqual([]);
        const count = new Map<string, number>();
        for (const { notification, to } of shared.taken) {
          const key = `${to} ${notification.id}`;
          count.set(key, (count.get(key) ?? 0) + 1);
        }
        const twice = [...count].filter(([, times]) => times > 1).map(([key]) => key);
        expect(twice.filter((key) => !shared.doubtful.has(key))).toEqual([]);
        expect(events.filter(({ event }) => event === "bug")).toEqual([]);
        covered.heals += healed.size;
        covered.twice += twice.length;
        covered.drifts += drifts.length;
      }),
      runs(60),
    );
    for (const times of Object.values(covered)) expect(times).toBeGreaterThan(0);
  });
});
