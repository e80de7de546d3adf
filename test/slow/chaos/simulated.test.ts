import { expect, it } from "vitest";
import { assertAllWell } from "./support/assert-all-well.ts";
import { noFigures } from "./support/figures.ts";
import { runKinds } from "./support/run-kinds.ts";

// The same few runs each time; CHAOS_RUNS asks for tens of thousands.
const runs = 50;

it("a service with every fault: reported correctly, and repaired by the next apply", async () => {
  const { ends, faults, cuts, operations } = await assertAllWell("simulated", runs);
  // Every kind of event occurred.
  expect(Object.keys(ends).length).toBeGreaterThanOrEqual(5);
  expect(Object.keys(faults).length).toBeGreaterThanOrEqual(16);
  expect(Object.keys(cuts).toSorted()).toEqual(["kill", "signal", "two signals"]);
  expect(Object.keys(operations).toSorted()).toEqual(["done", "failed", "skipped", "unknown"]);
});

it("a seed gives the same run every time", async () => {
  const [first, second] = [noFigures(), noFigures()];
  await runKinds["simulated"]?.(7, first);
  await runKinds["simulated"]?.(7, second);
  expect(first.requests).toBeGreaterThan(0);
  expect(second).toEqual(first);
});
