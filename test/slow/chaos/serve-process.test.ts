import { expect, it } from "vitest";
import { assertAllWell } from "./support/run-kinds.ts";

it("killed and stopped processes of `serve`: the next one goes on, nothing is done twice, and nothing is left", async () => {
  const { ends, met } = await assertAllWell("serve-process", 2);
  expect(met["SIGKILL"]).toBeGreaterThan(0);
  expect(ends["killed"]).toBeGreaterThan(0);
});
