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

/**
 * One of `of` parts of what is to be tried, another one for each turn; all of it with TEST_RUNS. For what is tried in many
 * combinations, where those that are left out in one turn have theirs in another.
 */
export function part<T>(all: readonly T[], turn: number, of: number): readonly T[] {
  return factor > 1 ? all : all.filter((_, at) => (at + turn) % of === 0);
}
