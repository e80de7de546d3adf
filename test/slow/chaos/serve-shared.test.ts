import { expect, it } from "vitest";
import { assertAllWell } from "./support/run-kinds.ts";

// The same few fleets each time; CHAOS_RUNS asks for thousands.
const runs = 4;

it("several processes of `serve` on one database: whatever happens, one writes at a time, and only what it may", async () => {
  const { applies, met, restarts } = await assertAllWell("serve-shared", runs);
  expect(applies).toBeGreaterThan(runs);
  expect(restarts).toBeGreaterThan(0);
  expect(Object.keys(met).length).toBeGreaterThanOrEqual(12);
});
