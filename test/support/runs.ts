import type fc from "fast-check";

/** How many times as often as usual: `TEST_RUNS=20 npm test`. */
const factor = Number(process.env["TEST_RUNS"] ?? 1);

/**
 * How often a property is tried. Usually a few times, and the same ones each time, so that nobody's change fails for what
 * it has no part in; with TEST_RUNS that many times as often, and others each time. A failure names its seed.
 */
export function runs(usually = 100): Pick<fc.Parameters, "numRuns" | "seed"> {
  if (!(factor >= 1)) throw new RangeError("TEST_RUNS must be a number from 1");
  return { numRuns: Math.ceil(usually * factor), ...(factor === 1 ? { seed: 1 } : {}) };
}
