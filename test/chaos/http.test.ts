import { expect, it } from "vitest";
import { assertAllWell } from "./support/assert-all-well.ts";

it("the sandbox goes wrong over real HTTP: told truly, and mended by the next apply", async () => {
  const { faults, cuts } = await assertAllWell("http", 24, 6);
  expect(Object.keys(faults).length).toBeGreaterThanOrEqual(9);
  expect(Object.keys(cuts).toSorted()).toEqual(["signal", "two signals"]);
}, 300_000);
