import { expect, it } from "vitest";
import { applyEffects } from "../../src/model/effects.ts";
import { countingEnv } from "../../src/model/model-options.ts";
import { respond } from "../../src/model/respond.ts";
import { listAll, worldFrom } from "../../src/model/world-seed.ts";
import type { World } from "../../src/model/world.ts";
import { PastWorld } from "../../src/sandbox/lagging-world.ts";

it("a past world shows the writes that were made by then", () => {
  let now = 0;
  const world = worldFrom({});
  const env = countingEnv({ label: "x" });
  const past = new PastWorld(world, 3_000, () => now);
  const codes = (at: World | null): readonly unknown[] =>
    listAll(at ?? world).HTTPResponseBackend.map(({ status_code: code }) => code);
  for (const code of [201, 202, 203]) {
    now += 1_000;
    const body = { status_code: code };
    const { effects } = respond(world, { method: "POST", path: "/backends/http_response", query: [], body }, env);
    applyEffects(world, effects);
    past.recordWrite(effects);
  }
  expect(codes(past.at(500))).toEqual([202, 201]);
  expect(codes(past.at(1_500))).toEqual([201]);
  expect(codes(past.at(3_000))).toEqual([]);
  now = 4_500;
  expect(codes(past.at(3_000))).toEqual([201]);
  expect(codes(past.at(2_000))).toEqual([202, 201]);
  now = 6_000;
  // Nothing is hidden any more: the current world will do.
  expect(past.at(3_000)).toBeNull();
});
