import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Method } from "../../src/api/client.ts";
import { type Attempts, nextWait, type AttemptFailure, waitingBudgetMs } from "../../src/api/retry-policy.ts";
import { runs } from "../support/runs.ts";

const first: Attempts = { method: "GET", made: 1, notSent: 0, waitedMs: 0, remainingMs: Infinity };
const almostOne = 1 - Number.EPSILON;
const status = (code: number, retryAfterMs: number | null = null): AttemptFailure => ({
  type: "status",
  status: code,
  retryAfterMs,
});

describe("how long it waits", () => {
  it("does as Retry-After says when it fits, and gives up when it does not", () => {
    expect(nextWait(status(429, 7000), first, 0.1)).toBe(7000);
    expect(nextWait(status(503, 20_000), first, 0.1)).toBe(20_000);
    expect(nextWait(status(429, 20_001), first, 0.1)).toBeNull();
    expect(nextWait(status(429, 15_000), { ...first, made: 2, waitedMs: 6000 }, 0.1)).toBeNull();
    expect(nextWait(status(429, 0), first, 0.5)).toBe(500);
  });

  it("never waits past the deadline", () => {
    expect(nextWait(status(429, 5000), { ...first, remainingMs: 5000 }, 0)).toBeNull();
    expect(nextWait({ type: "lost" }, { ...first, remainingMs: -1 }, 0)).toBeNull();
  });

  it("always ends: five attempts and twenty seconds, whatever happens", () => {
    const failure: fc.Arbitrary<AttemptFailure> = fc.oneof(
      fc.constant<AttemptFailure>({ type: "lost" }),
      fc.constant<AttemptFailure>({ type: "not-sent" }),
      fc
        .tuple(fc.integer({ min: 200, max: 599 }), fc.option(fc.double({ min: 0, max: 1e6, noNaN: true })))
        .map(([code, ms]) => status(code, ms)),
    );
    const method = fc.constantFrom<Method>("GET", "POST", "PATCH", "PUT", "DELETE");
    const random = fc.double({ min: 0, max: almostOne, noNaN: true });
    fc.assert(
      fc.property(method, fc.array(fc.tuple(failure, random), { minLength: 6, maxLength: 6 }), (method, story) => {
        let attempts: Attempts = { ...first, method, made: 0 };
        for (const [failure, random] of story) {
          const notSent = attempts.notSent + (failure.type === "not-sent" ? 1 : 0);
          attempts = { ...attempts, made: attempts.made + 1, notSent };
          const wait = nextWait(failure, attempts, random);
          if (wait === null) break;
          expect(wait).toBeGreaterThanOrEqual(0);
          attempts = { ...attempts, waitedMs: attempts.waitedMs + wait };
        }
        expect(attempts.made).toBeLessThanOrEqual(5);
        expect(attempts.notSent).toBeLessThanOrEqual(3);
        expect(attempts.waitedMs).toBeLessThanOrEqual(waitingBudgetMs);
      }),
      runs(),
    );
  });
});
