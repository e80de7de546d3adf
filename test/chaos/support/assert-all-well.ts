import { add, figuresText, noFigures, type Figures } from "./figures.js";
import { runKinds } from "./run-kinds.js";

/**
 * Runs many seeds of one kind; throws with all that is wrong, and how to replay it.
 * @param first the first seed
 */
export async function assertAllWell(kind: string, first: number, runs: number): Promise<Figures> {
  const run = runKinds[kind];
  if (run === undefined) throw new RangeError(`there is no kind of run called "${kind}"`);
  const figures = noFigures();
  const wrong: string[] = [];
  for (let seed = first; seed < first + runs; seed += 1) {
    const own = noFigures();
    const found = await run(seed, own);
    add(figures, own);
    wrong.push(...found.map((what) => `${what}\n  npm run chaos -- --kind ${kind} --seed ${seed} --runs 1`));
  }
  console.log(`${kind}: ${figuresText(figures)}`);
  if (wrong.length > 0) throw new Error(wrong.join("\n"));
  return figures;
}
