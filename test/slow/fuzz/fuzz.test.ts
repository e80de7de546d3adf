import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fuzz, fuzzKinds } from "./support/fuzz-kinds.ts";
import { Ground } from "./support/ground.ts";

// The same few runs each time; `npm run fuzz` has time for tens of thousands.
const runs = 8;

let ground: Ground;
beforeAll(async () => {
  ground = await Ground.open();
});
afterAll(() => ground.close());

describe("whatever stands in an input, a command ends as it is documented to", () => {
  it.each(fuzzKinds)("%s", async (kind) => {
    for (let seed = 1; seed <= runs; seed += 1) expect(await fuzz(kind, seed, ground), `${kind} ${seed}`).toEqual([]);
  });
});
