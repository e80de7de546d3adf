import type fc from "fast-check";

/** How many times as often as usual a property is tried: `TEST_RUNS=20 npm test`. */
const factor = Number(process.env["TEST_RUNS"] ?? 1);

/**
 * How often a property is tried. Usually the same few cases each time, so that a change can't fail because of an unrelated
 * case. With TEST_RUNS it is that many times as often, with new cases each time. A failure names its seed.
 */
export function runs(usually = 100): Pick<fc.Parameters, "numRuns" | "seed"> {
  if (!(factor >= 1)) throw new RangeError("TEST_RUNS must be a number from 1");
  return { numRuns: Math.ceil(usually * factor), ...(factor === 1 ? { seed: 1 } : {}) };
}

/**
 * One of `of` parts of the cases, a different one for each turn; all cases with TEST_RUNS. Use it for many combinations:
 * a case that one turn leaves out is tried in another.
 */
export function part<T>(all: readonly T[], turn: number, of: number): readonly T[] {
  return factor > 1 ? all : all.filter((_, at) => (at + turn) % of === 0);
}

/** What is usual, or with TEST_RUNS what takes longer and covers more. */
export function usuallyOr<T>(usual: T, thorough: T): T {
  return factor > 1 ? thorough : usual;
}
