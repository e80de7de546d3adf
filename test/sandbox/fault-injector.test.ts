import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FaultInjector, RateWindow, fitsPattern } from "../../src/sandbox/fault-injector.ts";
import { parseFault } from "../../src/sandbox/fault.ts";
import { randomFrom } from "../../src/sandbox/sandbox-environment.ts";
import { runs } from "../support/runs.ts";

function injector(...specs: readonly string[]): FaultInjector {
  return new FaultInjector(specs.map(parseFault), randomFrom("dice"));
}

/** Which of so many requests were struck. */
function pattern(faults: FaultInjector, times: number): string {
  return Array.from({ length: times }, () => (faults.apply("GET", "/x", 0).specs.length > 0 ? "x" : ".")).join("");
}

describe("faults", () => {
  it("skip the first and stop after so many", () => {
    expect(pattern(injector("status=503,skip=2,count=3"), 8)).toBe("..xxx...");
  });

  it("limit rates, and tell when to come back", () => {
    const faults = injector("rate=2/s,retry-after=auto");
    const at = (now: number) => faults.apply("GET", "/x", now);
    expect([at(0).end, at(100).end]).toEqual([null, null]);
    expect(at(200)).toMatchObject({ end: { of: "status", status: 429 }, retryAfter: 1 });
    expect(at(999).end).not.toBeNull();
    expect(at(1000).end).toBeNull();
    expect(at(1001).end).not.toBeNull();
    expect(at(1100).end).toBeNull();
  });
});

describe("a rolling window", () => {
  it("never lets more in than its rate, and always as many as it could", () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat({ max: 400 }), { maxLength: 80 }),
        fc.integer({ min: 1, max: 5 }),
        (gaps, requests) => {
          const window = new RateWindow({ requests, windowMs: 1000 });
          const taken: number[] = [];
          let now = 0;
          for (const gap of gaps) {
            now += gap;
            const within = taken.filter((time) => time > now - 1000).length;
            const wait = window.enter(now);
            expect(wait === 0).toBe(within < requests);
            if (wait === 0) taken.push(now);
            // After the wait there is room, and not before.
            else
              expect(taken.filter((time) => time > now + wait - 1000).length).toBe(
                requests - 1 - duplicates(taken, now + wait - 1000),
              );
          }
        },
      ),
      runs(),
    );
  });
});

/** How many more than one were taken at this very time. */
function duplicates(times: readonly number[], at: number): number {
  return times.filter((time) => time === at).length - 1;
}

describe("a pattern of paths", () => {
  it.each([
    ["/edges/tls", "/edges/tls", true],
    ["/edges/tls/x", "/edges/tls", false],
    ["/edges/tls", "/edges/tls*", true],
    ["/edges/tls/x/mutual_tls", "/edges/tls*", true],
    ["/edges/tls/x/mutual_tls", "*/mutual_tls", true],
    ["/edges/tls/x/mutual_tls", "/edges/*/mutual_tls", true],
    ["/edges/tls/x/traffic_policy", "/edges/*/mutual_tls", false],
    ["/aba", "/ab*ba", false],
    ["/abba", "/ab*ba", true],
    ["/a.b", "/a?b", false],
    ["/anything", "*", true],
  ])("%s fits %s: %s", (path, glob, fits) => {
    expect(fitsPattern(path, glob)).toBe(fits);
  });
});
