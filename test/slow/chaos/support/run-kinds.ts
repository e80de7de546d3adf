import { Dice } from "./dice.ts";
import type { Figures } from "./figures.ts";
import { runScenario } from "./scenario.ts";
import { runServe } from "./serve-scenario.ts";
import { runServeProcess } from "./serve-process.ts";

type Run = (seed: number, figures: Figures) => Promise<readonly string[]>;

export const runKinds: { readonly [kind: string]: Run } = {
  process: (seed, figures) => runScenario(new Dice(`process ${seed}`), figures),
  serve: (seed, figures) => runServe(new Dice(`serve ${seed}`), figures),
  "serve-shared": (seed, figures) => {
    const dice = new Dice(`serve-shared ${seed}`);
    return runServe(dice, figures, dice.between(2, 3));
  },
  "serve-process": (seed, figures) => runServeProcess(new Dice(`serve-process ${seed}`), figures),
};
