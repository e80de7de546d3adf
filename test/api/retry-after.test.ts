import { describe, expect, it } from "vitest";
import { retryAfter } from "../../src/api/retry-policy.ts";

const now = Date.UTC(2030, 0, 1, 12, 0, 0);

describe("Retry-After", () => {
  it.each([
    [null, null, null],
    ["120", null, 120_000],
    ["0", null, 0],
    ["-5", null, null],
    ["", null, null],
    ["1e3", null, null],
    ["Tue, 01 Jan 2030 12:00:10 GMT", null, 10_000],
    ["Tue, 01 Jan 2030 11:00:00 GMT", null, 0],
    // The service's clock is a year ahead: what it asks for is still five seconds.
    ["Wed, 01 Jan 2031 00:00:05 GMT", "Wed, 01 Jan 2031 00:00:00 GMT", 5000],
  ])("%j, answered on %j, is %j ms", (header, date, ms) => {
    expect(retryAfter(header, date, now)).toBe(ms);
  });
});
