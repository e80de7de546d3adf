import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Ground } from "./support/ground.ts";
import { Dice } from "../chaos/support/dice.ts";
import { answersRun, commandsRun, plansRun } from "./support/kinds/live.ts";
import { certificatesRun, configurationRun, limitsRun, manifestsRun } from "./support/kinds/repository.ts";

const kinds: { readonly [kind: string]: (dice: Dice, ground: Ground) => Promise<void> } = {
  manifests: manifestsRun,
  limits: limitsRun,
  configuration: configurationRun,
  answers: answersRun,
  plans: plansRun,
  certificates: certificatesRun,
  commands: commandsRun,
};

// The same few runs each time, unless the environment asks for others.
const first = Number(process.env["FUZZ_SEED"] ?? 1);
const runs = Number(process.env["FUZZ_RUNS"] ?? 8);

let ground: Ground;
beforeAll(async () => {
  ground = await Ground.open();
});
afterAll(() => ground.close());

describe("whatever stands in an input, a command ends as it is documented to", () => {
  it.each(Object.entries(kinds))("%s", async (kind, run) => {
    for (let seed = first; seed < first + runs; seed += 1) {
      const wrong: string[] = [];
      ground.reset();
      ground.report = (what) => void wrong.push(what);
      await run(new Dice(`fuzz ${kind} ${seed}`), ground);
      expect(wrong, `${kind} ${seed}`).toEqual([]);
    }
  });
});
