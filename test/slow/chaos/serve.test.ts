import { expect, it } from "vitest";
import { assertAllWell, runKinds } from "./support/run-kinds.ts";
import { noFigures } from "./support/figures.ts";

const runs = 4;

it("fleets among faults, people, pushes and kills: nothing is written that the table does not allow, and all is well in the end", async () => {
  const { applies, ends, met, restarts } = await assertAllWell("serve", runs);
  expect(applies).toBeGreaterThan(runs);
  expect(restarts).toBeGreaterThan(0);
  expect(Object.keys(ends)).toEqual(expect.arrayContaining(["synced", "waiting: approval"]));
  expect(Object.keys(met).length).toBeGreaterThanOrEqual(12);
});

it("a seed gives the same afternoon every time", async () => {
  const [first, second] = [noFigures(), noFigures()];
  await runKinds.serve(4, first);
  await runKinds.serve(4, second);
  expect(first.requests).toBeGreaterThan(0);
  expect(second).toEqual(first);
});
