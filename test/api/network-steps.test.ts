import { describe, expect, it } from "vitest";
import { countNetworkStep, letRequestsPass } from "../../src/network-steps.ts";

/** How many turns of the event loop it waits, when a request gets on in the first `busy` of them. */
async function turnsWaited(busy: number): Promise<number> {
  let turns = 0;
  let isWaiting = true;
  const count = (): void => {
    if (!isWaiting) return;
    turns += 1;
    if (turns <= busy) countNetworkStep();
    setImmediate(count);
  };
  setImmediate(count);
  await letRequestsPass();
  isWaiting = false;
  return turns;
}

describe("work that can wait", () => {
  it("goes on after one turn when no request gets on", async () => {
    expect(await turnsWaited(0)).toBeLessThanOrEqual(2);
  });

  it("waits while requests get on, and then no longer", async () => {
    const turns = await turnsWaited(3);
    expect(turns).toBeGreaterThanOrEqual(3);
    expect(turns).toBeLessThanOrEqual(5);
  });

  it("doesn't wait for ever", async () => {
    expect(await turnsWaited(Infinity)).toBeLessThanOrEqual(7);
  });
});
