import { expect, it } from "vitest";
import { assertAllWell } from "./support/assert-all-well.ts";

it("two or three applies at once with the account's lock, kills and signals: no duplicates, no lock left unsaid", async () => {
  const { cuts, ends, faults } = await assertAllWell("locked", 12, 4);
  expect(ends["applied"]).toBeGreaterThan(0);
  expect(ends["another did it"]).toBeGreaterThan(0);
  expect(faults["lagging list"]).toBeGreaterThan(0);
  expect(cuts["kill"]).toBeGreaterThan(0);
  expect(cuts["signal"]).toBeGreaterThan(0);
});
