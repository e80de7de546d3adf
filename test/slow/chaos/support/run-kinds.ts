import { Dice } from "./dice.ts";
import type { Figures } from "./figures.ts";
import { runLockedApplies } from "./locked-applies.ts";
import { runScenario } from "./scenario.ts";
import { ProcessAccount } from "./process-account.ts";
import { runServe } from "./serve-scenario.ts";
import { runServeProcess } from "./serve-process.ts";
import { SimulatedService } from "./simulated-service.ts";

type Run = (seed: number, figures: Figures) => Promise<readonly string[]>;

/** The kinds of runs, by name. The same seed gives the same run, apart from timing and the network. */
export const runKinds: { readonly [kind: string]: Run } = {
  simulated: (seed, figures) => {
    const dice = new Dice(`simulated ${seed}`);
    return runScenario(new SimulatedService(dice.fork("service"), figures), dice, figures);
  },
  locked: async (seed, figures) => runLockedApplies(new Dice(`locked ${seed}`), figures),
  serve: (seed, figures) => runServe(new Dice(`serve ${seed}`), figures),
  "serve-shared": (seed, figures) => {
    const dice = new Dice(`serve-shared ${seed}`);
    return runServe(dice, figures, dice.between(2, 3));
  },
  process: async (seed, figures) => {
    const dice = new Dice(`process ${seed}`);
    return runScenario(await ProcessAccount.open(dice.fork("service"), figures), dice, figures);
  },
  "serve-process": async (seed, figures) => runServeProcess(new Dice(`serve-process ${seed}`), figures),
};
