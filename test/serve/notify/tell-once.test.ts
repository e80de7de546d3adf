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

  it("tell nothing from records that are older than what was told of them", async () => {
    const { shared, one, two, wait } = await stage();
    await two.find("prod", failed(1));
    await wait();
    two.isDeaf = true;
    await one.find("prod", { state: "synced", since: 2 });
    await wait();
    expect(shared.list()).toEqual(["prod failed", "prod recovered"]);
    // It still knows the failure, and is to tell before it hears of the end.
    expect(two.stacks.get("prod")?.status.state).toBe("failed");
    shared.elect("two");
    two.notifier.onEvent({ event: "account-looked", account: "main", stacks: 1, ms: 1 });
    await wait();
    // What was read before is taken over after what was told has been loaded.
    two.notifier.onChanges();
    await wait();
    two.isDeaf = false;
    await wait();
    expect(shared.list()).toEqual([]);
    await one.find("prod", failed(3));
    await wait();
    expect(shared.list()).toEqual(["prod failed"]);
  });

  it("send nothing more at the moment at which another one tells", async () => {
    const { shared, one, wait } = await stage();
    shared.receive = () => "refuses";
    for (const name of ["a", "b", "c"]) await one.find(name, failed(1));
    await wait(300);
    one.isDeaf = true;
    shared.elect(null);
    shared.receive = () => "takes";
    await wait(60_000);
    expect(shared.list()).toEqual([]);
    one.isDeaf = false;
    shared.elect("one");
    await wait();
    expect(shared.list()).toEqual(["a failed", "b failed", "c failed"]);
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

  it("tell of drift once when it is put back faster than the one that tells hears of it", async () => {
    const { shared, two, wait } = await stage();
    await two.find("prod", { since: 1 });
    await wait();
    for (let times = 0; times < 3; times += 1) {
      two.heal("prod");
      await wait(20);
      await two.find("prod", { since: 1 });
      await wait();
    }
    expect(shared.list()).toEqual(["prod drift", "prod drift", "prod drift"]);
    // It can't be put back: it is the same drift.
    two.heal("prod");
    await wait(20);
    await two.find("prod", { ...drifted, ...failed(9) });
    await wait();
    expect(shared.list()).toEqual(["prod drift", "prod failed"]);
  });

  it("tell of drift that was left late, and of the next one", async () => {
    const { shared, two, wait } = await stage();
    const at = shared.clock.now();
    await wait(20);
    await two.find("prod", { since: 1 });
    await wait();
    for (const each of [at, at + 10]) {
      shared.leave({ stack: "prod", at: each, changes: 1, impact: "none" });
      await wait();
      expect(shared.list()).toEqual(["prod drift"]);
    }
  });

  it("wait for what is on its way when the role is lost and comes back", async () => {
    const { shared, one, wait } = await stage();
    shared.sendMs = 4000;
    await one.find("prod", failed(1));
    await wait(1000);
    shared.elect(null);
    await wait(1500);
    shared.elect("one");
    await wait(60_000);
    expect(shared.list()).toEqual(["prod failed"]);
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

  it("tell of two heals by their own times, when the later one was about to be told first", async () => {
    const { shared, one, wait } = await stage();
    shared.receive = () => "refuses";
    // It does not know the stack yet, and leaves this one.
    one.heal("prod");
    await wait(1500);
    await one.find("prod", { state: "synced", since: 1 });
    one.heal("prod");
    await wait(1500);
    await one.find("prod", { state: "synced", since: 1 });
    shared.elect("two");
    shared.receive = () => "takes";
    await wait(600_000);
    const ids = shared.taken.map(({ notification }) => notification.id);
    expect(shared.list()).toEqual(["prod drift", "prod drift"]);
    expect(new Set(ids).size).toBe(2);
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

  it("go on when the store fails, and send nothing twice", async () => {
    const { shared, one, two, wait } = await stage();
    await one.find("prod", { since: 1 });
    await wait();
    shared.broken = new Set(["saveTold", "saveHeal", "loadHeals"]);
    await one.find("prod", failed(2));
    two.heal("other");
    await wait();
    expect(shared.list()).toEqual(["prod failed"]);
    // It loses the role with the database, and gets it back.
    shared.broken = true;
    shared.elect(null);
    one.notifier.onEvent({ event: "account-looked", account: "main", stacks: 1, ms: 1 });
    await wait();
    shared.elect("one");
    await wait();
    shared.broken = new Set(["loadTold", "removeHeal"]);
    await wait();
    await two.find("other", { since: 1 });
    await wait();
    expect(shared.list()).toEqual([]);
    shared.broken = false;
    await wait();
    expect(shared.list()).toEqual(["other drift"]);
    expect(shared.heals).toEqual([]);
    shared.elect("two");
    await wait(10_000);
    expect(shared.list()).toEqual([]);
    expect([...one.events, ...two.events].filter(({ event }) => event === "bug")).toEqual([]);
  });

  it("keep what was told as soon as the store works again", async () => {
    const { shared, one, wait } = await stage();
    shared.broken = new Set(["saveTold"]);
    await one.find("prod", failed(1));
    await wait();
    shared.broken = false;
    await wait();
    shared.elect("two");
    await wait();
    expect(shared.list()).toEqual(["prod failed"]);
  });

  it("send nothing twice while the role comes and goes", async () => {
    const { shared, one, two, wait } = await stage();
    for (let at = 0; at < 40; at += 1) {
      shared.elect([null, "one", "two", "two", "one"][at % 5] ?? null);
      await (at % 2 === 0 ? one : two).find(`s${at}`, failed(at + 1));
      await wait(100 + 173 * (at % 7));
    }
    shared.elect("one");
    await wait(20_000);
    const list = shared.list();
    expect(new Set(list).size).toBe(40);
    expect(list.length).toBeLessThanOrEqual(40 + shared.doubtful.size);
  });

  it("call drift the same when the one that sent it died before it kept that", async () => {
    const { shared, one, two, wait } = await stage();
    shared.receive = () => "lost";
    await one.find("prod", { ...drifted, state: "waiting", reason: "approval", since: 1 });
    await wait(300);
    expect(shared.taken).toHaveLength(1);
    one.kill();
    shared.receive = () => "takes";
    await two.find("prod", { ...drifted, state: "waiting", reason: "approval", since: 1 });
    shared.elect("two");
    await wait();
    const ids = shared.taken.filter(({ notification }) => notification.event === "drift");
    expect(ids).toHaveLength(2);
    expect(new Set(ids.map(({ notification }) => notification.id)).size).toBe(1);
  });
});
