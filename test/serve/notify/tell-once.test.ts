import { describe, expect, it, onTestFinished } from "vitest";
import { SharedTold } from "./support/shared-told.ts";

/** Two processes, of which the first tells. */
async function stage() {
  const shared = new SharedTold();
  onTestFinished(() => shared.end());
  shared.elect("one");
  const one = await shared.start("one");
  const two = await shared.start("two");
  await shared.clock.sleep(5000);
  const wait = (ms = 5000): Promise<void> => shared.clock.sleep(ms);
  return { shared, one, two, wait };
}

const failed = (since: number) => ({ state: "failed", since }) as const;
const drifted = { changes: { commit: 0, drift: 1, both: 0 } } as const;

describe("several processes over one store", () => {
  it("tell each transition once, whichever sees it first", async () => {
    const { shared, one, two, wait } = await stage();
    await two.find("prod", failed(1));
    await wait();
    await one.find("prod", { state: "synced", since: 2 });
    await one.find("other", failed(2));
    await wait();
    await two.find("prod", { ...drifted, state: "waiting", reason: "approval", since: 3 });
    await wait();
    expect(shared.taken.every(({ by }) => by === "one")).toBe(true);
    expect(shared.list()).toEqual(["prod failed", "prod recovered", "other failed", "prod drift", "prod waiting"]);
  });

  it("tell what the one before could not, and nothing twice, when another takes over", async () => {
    const { shared, one, two, wait } = await stage();
    await one.find("told", failed(1));
    await wait();
    shared.receive = () => "refuses";
    await one.find("untold", failed(2));
    await two.find("too", { state: "waiting", reason: "approval", since: 3 });
    await wait();
    expect(shared.list()).toEqual(["told failed"]);
    shared.elect("two");
    shared.receive = () => "takes";
    await wait(600_000);
    expect(shared.taken.every(({ by }) => by === "two")).toBe(true);
    expect(shared.list().toSorted()).toEqual(["too waiting", "untold failed"]);
    await one.find("told", { state: "synced", since: 9 });
    await wait();
    expect(shared.list()).toEqual(["told recovered"]);
  });

  it("tell of drift that any of them puts back, each time once", async () => {
    const { shared, one, two, wait } = await stage();
    for (const each of [one, two]) {
      await each.find("prod", { since: 1 });
      await wait();
      each.heal("prod");
      await wait(1500);
      await each.find("prod", { since: 1 });
      await wait();
      expect(shared.list()).toEqual(["prod drift"]);
      expect(shared.heals).toEqual([]);
    }
  });

  it("lose no drift that was put back while nobody told, or by one that died", async () => {
    const { shared, one, two, wait } = await stage();
    await one.find("prod", { since: 1 });
    await two.find("other", { since: 1 });
    await wait();
    shared.elect(null);
    two.heal("other");
    await wait(1500);
    await two.find("other", { since: 1 });
    await wait();
    shared.elect("one");
    shared.receive = () => "refuses";
    one.heal("prod");
    await wait();
    one.kill();
    shared.receive = () => "takes";
    shared.elect("two");
    await wait();
    expect(shared.list().toSorted()).toEqual(["other drift", "prod drift"]);
    expect(shared.heals).toEqual([]);
  });

  it("tell no receiver twice of drift that another receiver could not be told of", async () => {
    const shared = new SharedTold();
    onTestFinished(() => shared.end());
    shared.receivers.push("b");
    shared.elect("one");
    const one = await shared.start("one");
    await shared.start("two");
    await one.find("prod", { since: 1 });
    await shared.clock.sleep(5000);
    shared.receive = (to) => (to === "/run/b" ? "refuses" : "takes");
    one.heal("prod");
    await shared.clock.sleep(1500);
    await one.find("prod", { since: 1 });
    await shared.clock.sleep(5000);
    shared.elect("two");
    shared.receive = () => "takes";
    await shared.clock.sleep(20_000);
    expect(shared.taken.map(({ by, to }) => `${by} ${to}`)).toEqual(["one /run/a", "two /run/b"]);
    expect(new Set(shared.taken.map(({ notification }) => notification.id)).size).toBe(1);
  });

  it("remove heals that nobody wants to know of, and of stacks that nobody knows", async () => {
    const { shared, two, wait } = await stage();
    shared.leave({ stack: "gone", at: shared.clock.now(), changes: 1, impact: "none" });
    await wait();
    expect(shared.heals).toHaveLength(1);
    await wait(3_700_000);
    expect(shared.heals).toEqual([]);
    await two.find("prod", { since: 1 });
    await wait();
    expect(shared.list()).toEqual([]);
  });
});
