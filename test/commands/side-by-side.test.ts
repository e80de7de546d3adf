import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sideBySide } from "../../src/commands/support/side-by-side.ts";
import { runs } from "../support/runs.ts";

/** Items by their lane, and a number for each that decides which of those that run ends next. */
const cases = fc.record({
  items: fc.array(fc.constantFrom("a", "b", "c", "d", "e"), { maxLength: 30 }),
  draws: fc.infiniteStream(fc.nat()),
  lanes: fc.integer({ min: 1, max: 4 }),
  mostAhead: fc.integer({ min: 1, max: 6 }),
});

/** Lets everything happen that needs nothing but turns of the loop. */
async function rest(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

describe("sideBySide", () => {
  it("does every item once, those of a lane in order, and never more or further ahead than it may", async () => {
    await fc.assert(
      fc.asyncProperty(cases, async ({ draws, items, lanes, mostAhead }) => {
        const running = new Map<number, () => void>();
        const begun: number[] = [];
        const done = new Set<number>();
        const ended: string[] = [];
        const whole = sideBySide(items, {
          lanes,
          mostAhead,
          laneOf: (lane) => lane,
          run: async (lane, index, own) => {
            expect(own).toBe(lane);
            expect([...running.keys()].filter((other) => items[other] === lane)).toEqual([]);
            const first = items.findIndex((_, other) => !done.has(other));
            expect(index - first).toBeLessThan(mostAhead);
            begun.push(index);
            await new Promise<void>((resolve) => running.set(index, resolve));
          },
          endLane: async (lane) => void ended.push(lane),
        });
        for (let left = items.length; left > 0; left -= 1) {
          await rest();
          expect(running.size).toBeLessThanOrEqual(lanes);
          // Otherwise nothing would ever go on.
          expect(running.size).toBeGreaterThan(0);
          const [draw = 0] = draws.take(1);
          const index = [...running.keys()].toSorted((a, b) => a - b)[draw % running.size] ?? -1;
          done.add(index);
          running.get(index)?.();
          running.delete(index);
        }
        await whole;
        expect(begun.toSorted((a, b) => a - b)).toEqual(items.map((_, index) => index));
        for (const lane of new Set(items)) {
          const own = begun.filter((index) => items[index] === lane);
          expect(own).toEqual(own.toSorted((a, b) => a - b));
        }
        expect(ended.toSorted()).toEqual([...new Set(items)].toSorted());
      }),
      runs(),
    );
  });

  it("begins nothing after a failure, and throws it when what runs has ended", async () => {
    const begun: string[] = [];
    let release = (): void => {};
    const whole = sideBySide(["a", "b", "a", "b"], {
      lanes: 2,
      mostAhead: 10,
      laneOf: (lane) => lane,
      run: async (lane) => {
        begun.push(lane);
        if (lane === "a") throw new Error("broken");
        await new Promise<void>((resolve) => {
          release = resolve;
        });
      },
      endLane: async () => {},
    });
    await rest();
    let settled = false;
    void whole.catch(() => {}).finally(() => (settled = true));
    await rest();
    expect(settled).toBe(false);
    release();
    await expect(whole).rejects.toThrow("broken");
    expect(begun).toEqual(["a", "b"]);
  });
});
