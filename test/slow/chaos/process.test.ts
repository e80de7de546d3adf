import { expect, it } from "vitest";
import { assertAllWell } from "./support/assert-all-well.ts";

it("interrupted and killed processes: the journal shows what was done, and the next apply does the rest", async () => {
  const { cuts, ends } = await assertAllWell("process", 3, 3);
  expect(Object.keys(cuts)).toContain("kill");
  expect(ends["killed"]).toBeGreaterThan(0);
});
