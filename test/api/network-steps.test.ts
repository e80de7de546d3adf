import { beforeEach, describe, expect, it, vi } from "vitest";
import { countNetworkStep, handOn, letRequestsPass } from "../../src/network-steps.ts";

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

describe("responses that come together", () => {
  /** How long two turns of the event loop take, in milliseconds. */
  let turnsTake = 0;

  beforeEach(() => {
    turnsTake = 0;
    let now = 0;
    vi.spyOn(performance, "now").mockImplementation(() => (now += turnsTake));
    return () => void vi.restoreAllMocks();
  });

  /** What happens when some are handed on at once, each of which leads to a request on a kept connection. */
  async function handedOn(count: number): Promise<readonly string[]> {
    // Whatever came before has had its turns.
    for (let turn = 0; turn < 3; turn += 1) await new Promise(setImmediate);
    const log: string[] = [];
    const sent: Promise<void>[] = [];
    for (let response = 1; response <= count; response += 1) {
      const done = new Promise<void>((resolve) => {
        handOn(() => {
          log.push(`response ${response}`);
          // What follows is found out in promises, and a connection is looked at for a turn before it is written to.
          void Promise.resolve().then(() => {
            setImmediate(() => {
              log.push(`request ${response}`);
              resolve();
            });
          });
        });
      });
      sent.push(done);
    }
    log.push("all came");
    await Promise.all(sent);
    return log;
  }

  it("are handed on one after the other, each once the request is sent that the one before led to", async () => {
    const steps = ["response 1", "all came", "request 1", "response 2", "request 2", "response 3", "request 3"];
    expect(await handedOn(3)).toEqual(steps);
  });

  it("don't each wait for what keeps the process busy", async () => {
    turnsTake = 6;
    const log = await handedOn(3);
    expect(log.slice(0, 5)).toEqual(["response 1", "all came", "request 1", "response 2", "response 3"]);
  });

  it("don't make the next one wait that comes alone", async () => {
    expect(await handedOn(2)).toHaveLength(5);
    expect(await handedOn(1)).toEqual(["response 1", "all came", "request 1"]);
  });
});
