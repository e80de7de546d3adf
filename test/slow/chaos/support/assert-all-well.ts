import { add, figuresText, noFigures, type Figures } from "./figures.ts";
import { runKinds } from "./run-kinds.ts";

/**
 * Runs many seeds of one kind. Throws with every problem and how to replay it.
 * @param lanes the number of runs in parallel; with a network they mostly wait
 */
export async function assertAllWell(kind: string, runs: number, lanes = 1): Promise<Figures> {
  const run = runKinds[kind];
  if (run === undefined) throw new RangeError(`there is no kind of run called "${kind}"`);
  const figures = noFigures();
  const wrong: string[] = [];
  let seed = 0;
  const lane = async (): Promise<void> => {
    while (seed < runs) {
      const own = noFigures();
      const current = (seed += 1);
      const found = await run(current, own);
      add(figures, own);
      wrong.push(...found.map((what) => `${what}\n  npm run chaos -- --kind ${kind} --seed ${current} --runs 1`));
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  console.log(`${kind}: ${figuresText(figures)}`);
  if (wrong.length > 0) throw new Error(wrong.join("\n"));
  return figures;
}
