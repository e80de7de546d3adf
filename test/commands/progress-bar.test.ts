import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { TimeLeft, formatDuration, progressLine, showsUnicode } from "../../src/commands/support/progress-bar.ts";
import { runs } from "../support/runs.ts";

const progress = { done: 12, total: 40, running: 8, failed: 1, leftMs: 28_000, waits: ["rate limit"] };

describe("progressLine", () => {
  it.each([
    [102, "Applying [#########---------------------] 12/40, 1 failed, 8 running, rate limit, about 30s left"],
    [80, "Applying [####----------] 12/40, 1 failed, 8 running, rate limit, about 30s left"],
    [66, "Applying [###--------] 12/40, 1 failed, rate limit, about 30s left"],
    [60, "Applying [#####------------] 12/40, 1 failed, about 30s left"],
    [50, "Applying 12/40, 1 failed, about 30s left"],
    [40, "Applying 12/40, 1 failed, about 30s left"],
    [32, "12/40, 1 failed, about 30s left"],
    [20, "12/40, 1 failed"],
    [5, "12/40"],
    [3, "12/"],
  ])("in %d columns is %s", (width, line) => {
    expect(progressLine(progress, width, false)).toBe(line);
  });

  it.each([
    [60, "Applying [###-------] 12/40, 1 failed, 8 running, rate limit"],
    [50, "Applying [###--------] 12/40, 1 failed, rate limit"],
    [37, "Applying 12/40, 1 failed, rate limit"],
    [30, "12/40, 1 failed, rate limit"],
    [20, "12/40, 1 failed"],
  ])("in %d columns and without a time says why it waits: %s", (width, line) => {
    expect(progressLine({ ...progress, leftMs: null }, width, false)).toBe(line);
  });

  it("has blocks where the terminal shows them, and is full only at the end", () => {
    expect(progressLine({ ...progress, done: 39, waits: [] }, 70, true)).toContain("█░] 39/40");
    expect(progressLine({ ...progress, done: 40, leftMs: 0 }, 90, true)).not.toContain("░");
  });

  it("says nothing of a time that is unknown", () => {
    expect(progressLine({ ...progress, leftMs: null }, 90, false)).not.toContain("left");
  });

  it("never is wider than the terminal", () => {
    const number = fc.integer({ min: 0, max: 100_000 });
    fc.assert(
      fc.property(
        fc.record({ done: number, total: number, running: number, failed: number, leftMs: fc.option(number) }),
        fc.array(fc.constantFrom("rate limit", "3 settling"), { maxLength: 3 }),
        fc.integer({ min: 0, max: 200 }),
        fc.boolean(),
        (run, waits, width, unicode) => {
          const line = progressLine({ ...run, done: Math.min(run.done, run.total), waits }, width, unicode);
          expect(line.length).toBeLessThanOrEqual(width);
          if (!unicode) expect(line).toMatch(/^[ -~]*$/);
        },
      ),
      runs(200),
    );
  });
});

describe("showsUnicode", () => {
  it.each([
    [{ LANG: "en_US.UTF-8" }, true],
    [{ LANG: "en_US.utf8", LC_ALL: "" }, true],
    [{ LANG: "en_US.UTF-8", LC_ALL: "C" }, false],
    [{ LANG: "en_US.UTF-8", LC_CTYPE: "POSIX" }, false],
    [{}, false],
    [{ WT_SESSION: "1" }, true],
  ])("%j: %s", (env, shows) => {
    expect(showsUnicode(env)).toBe(shows);
  });
});

describe("TimeLeft", () => {
  it("is what was expected, until something is done", () => {
    const left = new TimeLeft(100, 20_000);
    expect(left.update(0, 0)).toBe(20_000);
    expect(left.update(0, 5_000)).toBe(15_000);
    expect(left.update(0, 25_000)).toBeNull();
    expect(left.update(100, 30_000)).toBe(0);
  });

  it("comes close to the truth at a steady rate, whatever was expected", () => {
    fc.assert(
      fc.property(fc.integer({ min: 40, max: 2000 }), fc.integer({ min: 20, max: 2000 }), (total, each) => {
        const left = new TimeLeft(total, (total * each) / 2);
        let worst = 0;
        for (let done = 1; done < total; done += 1) {
          const shown = left.update(done, done * each) ?? 0;
          const truth = (total - done) * each;
          if (done > total / 2) worst = Math.max(worst, Math.abs(shown - truth) / Math.max(truth, 5000));
        }
        expect(worst).toBeLessThan(0.5);
      }),
      runs(25),
    );
  });

  it("doesn't jump when requests come in bursts", () => {
    const left = new TimeLeft(300, 60_000);
    let before = left.update(0, 0) ?? 0;
    for (let ms = 250; ms < 55_000; ms += 250) {
      // Ten at once, every two seconds.
      const now = left.update(Math.floor(ms / 2000) * 10 + 1, ms) ?? 0;
      expect(Math.abs(now - before)).toBeLessThan(4000);
      before = now;
    }
  });

  it("is never less than a limit allows", () => {
    const left = new TimeLeft(300, 0);
    left.update(100, 2000, 90_000);
    expect(left.update(101, 62_000, 90_000)).toBeGreaterThan(80_000);
  });
});

describe("formatDuration", () => {
  it.each([
    [0, "0s"],
    [440, "0.4s"],
    [9_949, "9.9s"],
    [9_960, "10s"],
    [59_999, "1m 00s"],
    [185_000, "3m 05s"],
    [3_720_000, "1h 02m"],
  ])("%d ms is %s", (ms, text) => {
    expect(formatDuration(ms)).toBe(text);
  });
});
