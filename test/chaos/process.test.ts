import { expect, it } from "vitest";
import { assertAllWell } from "./support/assert-all-well.ts";

it("processes are interrupted and killed: journals tell what was done, and the next apply mends the rest", async () => {
  const { cuts, ends } = await assertAllWell("process", 5, 3);
  expect(Object.keys(cuts)).toContain("kill");
  expect(ends["killed"]).toBeGreaterThan(0);
}, 300_000);
