import { describe, expect, it } from "vitest";
import { formatDuration, progressLine } from "../../src/commands/support/progress-bar.ts";

const progress = { done: 12, total: 40, running: 8, failed: 1 };

describe("progressLine", () => {
  it.each([
    [90, "Applying [#########---------------------] 12/40, 1 failed, 8 running"],
    [48, "Applying [###-------] 12/40, 1 failed, 8 running"],
    [37, "Applying 12/40, 1 failed, 8 running"],
    [15, "Applying 12/40,"],
  ])("in %d columns is %s", (width, line) => {
    expect(progressLine(progress, width)).toBe(line);
  });

  it("is full only at the end", () => {
    expect(progressLine({ ...progress, done: 39 }, 90)).toContain("#-] 39/40");
    expect(progressLine({ ...progress, done: 40 }, 90)).not.toContain("-");
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
