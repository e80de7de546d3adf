import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { spread } from "../../src/report/diagram-layout.ts";
import { fitItems } from "../../src/report/fit.ts";
import { runs } from "../support/runs.ts";

const item = fc.record({ full: fc.nat(60), short: fc.option(fc.nat(20)) });

describe("fitting items into room", () => {
  it("keeps to the room, accounts for every item, and prefers long forms", () => {
    fc.assert(
      fc.property(fc.array(item, { maxLength: 30 }), fc.nat(600), (sizes, room) => {
        const items = sizes.map(({ full, short }) => ({
          full: () => "F".repeat(full),
          compact: short === null ? null : () => "s".repeat(short),
        }));
        const fitted = fitItems(items, room);
        expect(fitted.texts.join("\n").length).toBeLessThanOrEqual(room);
        expect(fitted.length).toBe(fitted.texts.reduce((sum, text) => sum + text.length + 1, 0));
        expect(fitted.texts.length + fitted.omitted).toBe(items.length);
        const all = sizes.reduce((sum, { full, short }) => sum + Math.max(full, short ?? 0) + 1, 0);
        if (all <= room) expect(fitted.shortened + fitted.omitted).toBe(0);
      }),
      runs(),
    );
  });
});

describe("spreading a column", () => {
  it("keeps order and distance, and grants wishes that nobody disputes", () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ wish: fc.integer({ min: 0, max: 500 }), height: fc.integer({ min: 1, max: 50 }) })),
        (things) => {
          const middles = spread(
            things.map((thing) => thing.wish),
            things.map((thing) => thing.height),
          );
          for (const [index, { height }] of things.entries()) {
            if (index === 0) continue;
            const gap = (middles[index] ?? 0) - (middles[index - 1] ?? 0);
            expect(gap).toBeGreaterThanOrEqual((height + (things[index - 1]?.height ?? 0)) / 2 - 1e-6);
          }
        },
      ),
      runs(),
    );
    expect(spread([10, 100], [20, 20])).toEqual([10, 100]);
    expect(spread([50, 50], [20, 20])).toEqual([40, 60]);
  });
});
