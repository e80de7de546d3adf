import { describe, expect, it } from "vitest";
import { mergeObjects, parseMaxDeletes } from "../../src/config/load-config.ts";
import { parseDuration } from "../../src/duration.ts";
import { versionHeaderProblem } from "../../src/version-header.ts";

describe("parseDuration", () => {
  it.each([
    ["500ms", 500],
    ["30s", 30_000],
    ["1.5m", 90_000],
    ["1h", 3_600_000],
    ["24h", 86_400_000],
    ["25h", null],
    ["0s", null],
    ["0.1ms", null],
    ["30", null],
    ["-1s", null],
    ["1e3s", null],
    ["s", null],
    ["1d", null],
  ])("%s is %s", (text, ms) => {
    expect(parseDuration(text)).toBe(ms);
  });
});

describe("parseMaxDeletes", () => {
  it.each([
    ["5", { count: 5 }],
    [0, { count: 0 }],
    ["25%", { percent: 25 }],
    ["100%", { percent: 100 }],
    ["101%", null],
    ["-1", null],
    ["1.5", null],
    ["%", null],
  ])("%s is %j", (text, parsed) => {
    expect(parseMaxDeletes(text)).toEqual(parsed);
  });
});

describe("versionHeaderProblem", () => {
  it.each(["Service-Version", "X-Api-Version", "acme-version"])("takes %s", (name) => {
    expect(versionHeaderProblem(name)).toBeNull();
  });

  it.each([
    "Authorization",
    "AUTHORIZATION",
    "Proxy-Authorization",
    "Cookie",
    "Host",
    "Content-Type",
    "content-length",
    "Transfer-Encoding",
    "Connection",
    "",
    "a:b",
    "a\r\nb",
    "x".repeat(101),
  ])("refuses %j", (name) => {
    expect(versionHeaderProblem(name)).not.toBeNull();
  });
});

describe("layOver", () => {
  it("changes neither of the two", () => {
    const base = { a: { b: [1], c: 2 } };
    const over = { a: { b: [3] } };
    expect(mergeObjects(base, over)).toEqual({ a: { b: [3], c: 2 } });
    expect(base).toEqual({ a: { b: [1], c: 2 } });
    expect(over).toEqual({ a: { b: [3] } });
  });
});
