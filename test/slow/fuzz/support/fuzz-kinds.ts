import { Dice } from "../../chaos/support/dice.ts";
import type { Ground } from "./ground.ts";
import { followedRun } from "./kinds/fleet.ts";
import { answersRun, commandsRun, plansRun } from "./kinds/live.ts";
import { certificatesRun, configurationRun, limitsRun, manifestsRun } from "./kinds/repository.ts";

const runs: { readonly [kind: string]: (dice: Dice, ground: Ground) => Promise<void> } = {
  manifests: manifestsRun,
  limits: limitsRun,
  configuration: configurationRun,
  answers: answersRun,
  plans: plansRun,
  certificates: certificatesRun,
  followed: followedRun,
  commands: commandsRun,
};

export const fuzzKinds: readonly string[] = Object.keys(runs);

export async function fuzz(kind: string, seed: number, ground: Ground): Promise<readonly string[]> {
  const wrong: string[] = [];
  const run = runs[kind];
  if (run === undefined) throw new Error(`there is no input called "${kind}"`);
  ground.reset();
  ground.report = (what) => void wrong.push(what);
  await run(new Dice(`fuzz ${kind} ${seed}`), ground);
  return wrong;
}
