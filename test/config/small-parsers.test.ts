import { describe, expect, it } from "vitest";
import { parseMaxDeletes } from "../../src/config/config.ts";
import { parseDuration } from "../../src/duration.ts";
import { versionHeaderProblem } from "../../src/version-header.ts";

describe("parseDuration", () => {
  const units = ["ms", "s", "m", "h"] as const;

  it.each([
    ["500ms", 500],
    ["30s", 30_000],
    ["1.5m", 90_000],
    ["1h", 3_600_000],
    ["30", null],
    ["-1s", null],
    ["1d", null],
    ["1s\n", null],
  ])("%s is %s", (text, ms) => {
    expect(parseDuration(text, { units, fractions: true })).toBe(ms);
  });

  it("accepts what its form allows", () => {
    expect([parseDuration("2w", { units: ["d", "w"] }), parseDuration("2h", { units: ["d", "w"] })]).toEqual([
      1_209_600_000,
      null,
    ]);
    expect([parseDuration("50", { units, bareUnit: "ms" }), parseDuration("50s", { units, bareUnit: "ms" })]).toEqual([
      50, 50_000,
    ]);
    expect(parseDuration("1.5s", { units })).toBeNull();
    expect(["99ms", "100ms"].map((text) => parseDuration(text, { units, maxDigits: 2 }))).toEqual([99, null]);
    const range = { least: 1, most: 86_400_000 };
    expect(["0s", "1ms", "24h", "25h"].map((text) => parseDuration(text, { units, range }))).toEqual([
      null,
      1,
      86_400_000,
      null,
    ]);
  });
});

describe("parseMaxDeletes", () => {
  it.each([
    ["5", { count: 5 }],
    [0, { count: 0 }],
    ["25%", { percent: 25 }],
    ["101%", null],
    ["-1", null],
    ["1.5", null],
  ])("%s is %j", (text, parsed) => {
    expect(parseMaxDeletes(text)).toEqual(parsed);
  });
});

describe("versionHeaderProblem", () => {
  it.each(["Service-Version", "X-Api-Version", "acme-version"])("takes %s", (name) => {
    expect(versionHeaderProblem(name)).toBeNull();
  });

  it.each(["Authorization", "Cookie", "Host", "Content-Type", "content-length", "", "a:b", "a\r\nb", "x".repeat(101)])(
    "refuses %j",
    (name) => {
      expect(versionHeaderProblem(name)).not.toBeNull();
    },
  );
});
