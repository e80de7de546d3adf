import { add, figuresText, noFigures, type Figures } from "./figures.ts";
import { runKinds } from "./run-kinds.ts";

const { CHAOS_RUNS, CHAOS_SEED = "1" } = process.env;

/**
 * Runs seeds of one kind: so many from 1, or CHAOS_RUNS from CHAOS_SEED. Throws with every problem and how to replay it.
 * @param lanes the number of runs in parallel; with a network they mostly wait
 */
export async function assertAllWell(kind: string, runs: number, lanes = 1): Promise<Figures> {
  const run = runKinds[kind];
  if (run === undefined) throw new RangeError(`there is no kind of run called "${kind}"`);
  const figures = noFigures();
  const wrong: string[] = [];
  const end = Number(CHAOS_SEED) + Number(CHAOS_RUNS ?? runs);
  let seed = Number(CHAOS_SEED);
  const lane = async (): Promise<void> => {
    while (seed < end) {
      const own = noFigures();
      const current = seed++;
      const found = await run(current, own);
      add(figures, own);
      wrong.push(
        ...found.map((what) => `${what}\n  CHAOS_KIND=${kind} CHAOS_SEED=${current} CHAOS_RUNS=1 npm run chaos`),
      );
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  console.log(`${kind}: ${figuresText(figures)}`);
  if (wrong.length > 0) throw new Error(wrong.join("\n"));
  return figures;
}
