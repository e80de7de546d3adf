import { expect, it } from "vitest";
import { assertAllWell } from "./support/assert-all-well.ts";

it("the sandbox with faults over real HTTP: reported correctly, and repaired by the next apply", async () => {
  const { faults, cuts } = await assertAllWell("http", 9, 3);
  expect(Object.keys(faults).length).toBeGreaterThanOrEqual(5);
  expect(Object.keys(cuts).toSorted()).toEqual(["signal", "two signals"]);
}, 300_000);
