import { expect, it } from "vitest";
import { assertAllWell } from "./support/assert-all-well.ts";

it("two or three applies at once with the account's lock: no duplicates and no lock left unsaid", async () => {
  const { ends, faults } = await assertAllWell("locked", 24, 4);
  expect(ends["applied"]).toBeGreaterThan(0);
  expect(ends["another did it"]).toBeGreaterThan(0);
  expect(faults["lagging list"]).toBeGreaterThan(0);
}, 300_000);
