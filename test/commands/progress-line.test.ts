import { describe, expect, it } from "vitest";
import { formatDuration, progressLine } from "../../src/commands/support/apply-progress.ts";

describe("progress", () => {
  it("is one line", () => {
    expect(progressLine({ done: 12, total: 40, running: 8, failed: 1, elapsedMs: 14_000, estimateMs: 30_000 })).toBe(
      "Applying 12/40, 8 running, 1 failed, 14s, about 30s left",
    );
    expect(progressLine({ done: 0, total: 3, running: 0, failed: 0, elapsedMs: 400, estimateMs: null })).toBe(
      "Applying 0/3, 0.4s",
    );
  });

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
