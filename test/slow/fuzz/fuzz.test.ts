import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fuzz, fuzzKinds } from "./support/fuzz-kinds.ts";
import { Ground } from "./support/ground.ts";

// The same few runs each time, unless the environment asks for others.
const first = Number(process.env["FUZZ_SEED"] ?? 1);
const runs = Number(process.env["FUZZ_RUNS"] ?? 8);

let ground: Ground;
beforeAll(async () => {
  ground = await Ground.open();
});
afterAll(() => ground.close());

describe("whatever stands in an input, a command ends as it is documented to", () => {
  it.each(fuzzKinds)("%s", async (kind) => {
    for (let seed = first; seed < first + runs; seed += 1)
      expect(await fuzz(kind, seed, ground), `${kind} ${seed}`).toEqual([]);
  });
});
