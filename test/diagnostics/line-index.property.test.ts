import fc from "fast-check";
import { expect, it } from "vitest";
import { LineIndex } from "../../src/diagnostics/line-index.ts";
import { runs } from "../support/runs.ts";

const text = fc.array(fc.constantFrom("\n", "\r\n", "a", "bc: d", "ü")).map((parts) => parts.join(""));
const question = fc.record({
  ask: fc.constantFrom("position", "line", "startOf", "count"),
  at: fc.integer({ min: -3, max: 60 }),
});

it("tells lines and positions as splitting the text does, in whatever order somebody asks", () => {
  fc.assert(
    fc.property(text, fc.array(question), (whole, questions) => {
      const lines = whole.split("\n");
      const startOf = (number: number): number =>
        number >= 1 && number <= lines.length
          ? lines.slice(0, number - 1).join("\n").length + Math.min(number - 1, 1)
          : whole.length;
      const index = new LineIndex(whole);
      for (const { ask, at } of questions) {
        if (ask === "count") expect(index.count).toBe(lines.length);
        else if (ask === "line") expect(index.line(at)).toBe((lines[at - 1] ?? "").replace(/\r$/u, ""));
        else if (ask === "startOf") expect(index.startOf(at)).toBe(startOf(at));
        else {
          const before = whole.slice(0, Math.max(0, at)).split("\n");
          expect(index.position(at)).toEqual({ line: before.length, column: (before.at(-1) ?? "").length + 1 });
        }
      }
    }),
    runs(500),
  );
});
