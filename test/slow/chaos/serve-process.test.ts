import { expect, it } from "vitest";
import { assertAllWell } from "./support/assert-all-well.ts";

it("killed and stopped processes of `serve`: the next one goes on, nothing is done twice, and nothing is left", async () => {
  const { cuts, ends } = await assertAllWell("serve-process", 2, 2);
  expect(Object.keys(cuts).join()).toContain("SIGKILL");
  expect(ends["killed"]).toBeGreaterThan(0);
});
