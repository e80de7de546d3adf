import { Dice } from "./dice.ts";
import { type Figures, noFigures } from "./figures.ts";
import { runServeProcess } from "./serve-process.ts";
import { runServe } from "./serve-scenario.ts";

const { CHAOS_RUNS, CHAOS_SEED = "1" } = process.env;

export const runKinds = {
  serve: (seed: number, figures: Figures) => runServe(new Dice(`serve ${seed}`), figures),
  "serve-shared": (seed: number, figures: Figures) => {
    const dice = new Dice(`serve-shared ${seed}`);
    return runServe(dice, figures, dice.between(2, 3));
  },
  "serve-process": (seed: number, figures: Figures) => runServeProcess(new Dice(`serve-process ${seed}`), figures),
};

/** Runs seeds of one kind: so many from 1, or CHAOS_RUNS from CHAOS_SEED. Throws with every problem and how to replay it. */
export async function assertAllWell(kind: keyof typeof runKinds, runs: number): Promise<Figures> {
  const figures = noFigures();
  const wrong: string[] = [];
  const end = Number(CHAOS_SEED) + Number(CHAOS_RUNS ?? runs);
  for (let seed = Number(CHAOS_SEED); seed < end; seed += 1)
    for (const what of await runKinds[kind](seed, figures))
      wrong.push(`${what}\n  CHAOS_KIND=${kind} CHAOS_SEED=${seed} CHAOS_RUNS=1 npm run chaos`);
  console.log(kind, figures);
  if (wrong.length > 0) throw new Error(wrong.join("\n"));
  return figures;
}
