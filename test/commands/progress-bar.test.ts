import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatDuration, progressLine, showsUnicode } from "../../src/commands/support/progress-bar.ts";
import { runs } from "../support/runs.ts";

const progress = { done: 12, total: 40, running: 8, failed: 1, waits: ["rate limit"] };

describe("progressLine", () => {
  it.each([
    [90, "Applying [#########---------------------] 12/40, 1 failed, 8 running, rate limit"],
    [60, "Applying [###-------] 12/40, 1 failed, 8 running, rate limit"],
    [37, "Applying 12/40, 1 failed, rate limit"],
    [20, "12/40, 1 failed"],
    [5, "12/40"],
  ])("in %d columns is %s", (width, line) => {
    expect(progressLine(progress, width, false)).toBe(line);
  });

  it("has blocks where the terminal shows them, and is full only at the end", () => {
    expect(progressLine({ ...progress, done: 39, waits: [] }, 70, true)).toContain("█░] 39/40");
    expect(progressLine({ ...progress, done: 40 }, 90, true)).not.toContain("░");
  });

  it("never is wider than the terminal", () => {
    const number = fc.integer({ min: 0, max: 100_000 });
    fc.assert(
      fc.property(
        fc.record({ done: number, total: number, running: number, failed: number }),
        fc.array(fc.constantFrom("rate limit", "3 settling"), { maxLength: 3 }),
        fc.integer({ min: 0, max: 200 }),
        fc.boolean(),
        (run, waits, width, unicode) => {
          const line = progressLine({ ...run, done: Math.min(run.done, run.total), waits }, width, unicode);
          expect(line.length).toBeLessThanOrEqual(width);
          if (!unicode) expect(line).toMatch(/^[ -~]*$/);
        },
      ),
      runs(80),
    );
  });
});

describe("showsUnicode", () => {
  it.each([
    [{ LANG: "en_US.UTF-8" }, true],
    [{ LANG: "en_US.UTF-8", LC_ALL: "C" }, false],
    [{}, false],
    [{ WT_SESSION: "1" }, true],
  ])("%j: %s", (env, shows) => {
    expect(showsUnicode(env)).toBe(shows);
  });
});

describe("formatDuration", () => {
  it.each([
    [440, "0.4s"],
    [9_949, "9.9s"],
    [59_999, "1m 00s"],
    [185_000, "3m 05s"],
    [3_720_000, "1h 02m"],
  ])("%d ms is %s", (ms, text) => {
    expect(formatDuration(ms)).toBe(text);
  });
});
