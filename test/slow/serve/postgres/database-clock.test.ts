import fc from "fast-check";
import { afterEach, describe, expect, it, vi } from "vitest";
import { DatabaseClock } from "../../../../src/serve/store/postgres/database-clock.ts";
import { runs } from "../../../support/runs.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

/** A database whose clock is `ahead` of the process's own, and a question that takes its time in both directions. */
const asked = fc.record({
  pauseMs: fc.nat(20_000),
  thereMs: fc.oneof(fc.nat(50), fc.nat(30_000)),
  backMs: fc.oneof(fc.nat(50), fc.nat(30_000)),
  setBackMs: fc.oneof({ weight: 9, arbitrary: fc.constant(0) }, fc.integer({ min: 1, max: 7_200_000 })),
});

describe("the time of the database", () => {
  it("is never ahead of it, and no further behind than the fastest answer since somebody set it took", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: -1e12, max: 1e12 }),
        fc.array(asked, { minLength: 1, maxLength: 12 }),
        (shift, questions) => {
          let steady = 0;
          let ahead = 1.8e12 + shift;
          let fastest = Infinity;
          vi.spyOn(performance, "now").mockImplementation(() => steady);
          const clock = new DatabaseClock();
          for (const { backMs, pauseMs, setBackMs, thereMs } of questions) {
            // Set back by less than an answer takes can't be seen in that answer.
            const isSeen = setBackMs > thereMs + backMs + fastest;
            if (isSeen) {
              ahead -= setBackMs;
              fastest = Infinity;
            }
            steady += pauseMs;
            const sent = steady;
            steady += thereMs;
            const time = steady + ahead;
            steady += backMs;
            clock.measure(time, { sent, received: steady });
            fastest = Math.min(fastest, thereMs + backMs);
            expect(clock.now()).toBeLessThanOrEqual(steady + ahead);
            expect(clock.now()).toBeGreaterThanOrEqual(Math.floor(steady + ahead - fastest));
          }
        },
      ),
      runs(),
    );
  });
});
