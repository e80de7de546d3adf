import fc from "fast-check";
import { describe, expect, it } from "vitest";
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
