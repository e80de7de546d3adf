import { describe, expect, it } from "vitest";
import type { Client } from "../../../src/api/client.ts";
import { Stage, backend, collection, everything, minute, oneBackend } from "../support/stage.ts";

async function running(): Promise<Stage> {
  const stage = new Stage();
  stage.add("prod");
  stage.add("test");
  await stage.run(minute);
  expect(await stage.states("prod", "test")).toEqual(["synced", "synced"]);
  stage.looked();
  return stage;
}

async function matching(): Promise<Stage> {
  const stage = new Stage();
  for (const name of ["prod", "test"]) stage.add(name);
  stage.file.stacks = { all: { source: "edge", account: "main", configs: "*/edgewise.yaml" } };
  await stage.run(minute);
  expect(await stage.states("all/prod", "all/test")).toEqual(["synced", "synced"]);
  stage.looked();
  return stage;
}

const changed = (name: string) => ({ [`${name}/m/a.yaml`]: backend(`page-${name}`, "changed") });

describe("the loop", () => {
  it("looks at everything once in an interval, and fetches every minute", async () => {
    const stage = await running();
    const fetches = stage.sources.fetches.get("edge") ?? 0;
    await stage.run(7 * minute);
    expect(stage.looked()).toEqual([]);
    await stage.run(4 * minute);
    expect(stage.looked().toSorted()).toEqual(["prod", "test"]);
    expect((stage.sources.fetches.get("edge") ?? 0) - fetches).toBeGreaterThanOrEqual(9);
  });

  it("fetches a source for its hooks at most every ten seconds, and after the last one", async () => {
    const stage = await running();
    const fetches = () => stage.sources.fetches.get("edge") ?? 0;
    const before = fetches();
    for (let second = 0; second < 25; second += 1) {
      stage.loop?.markDue("edge");
      await stage.run(1000);
    }
    const during = fetches() - before;
    expect(during).toBeGreaterThanOrEqual(2);
    expect(during).toBeLessThanOrEqual(3);
    await stage.run(10_000);
    expect(fetches() - before).toBe(during + 1);
  });

  it("makes a push live within a poll, and looks at no other stack for it", async () => {
    const stage = await running();
    const commit = stage.commit(changed("prod"));
    await stage.run(1.2 * minute);
    expect(stage.named("source-followed").at(-1)).toMatchObject({ commit, stacks: 1 });
    expect(stage.looked()).toEqual(["prod"]);
    expect(await stage.status("prod")).toMatchObject({ state: "synced", commit });
    expect(stage.live()).toEqual(["changed", "test"]);
  });

  it("passes each of two names of an account in turn, though passes take longer than an interval", async () => {
    const stage = await running();
    stage.file.accounts["again"] = { ...stage.file.accounts["main"] };
    stage.file["defaults"] = { interval: "100ms" };
    stage.add("other", oneBackend("other"), { account: "again" });
    stage.service.delayMs = () => 300;
    await stage.reload();
    await stage.run(minute);
    stage.looked();
    await stage.run(minute);
    expect(stage.looked()).toEqual(expect.arrayContaining(["prod", "other"]));
  });

  it("passes again what was pushed while it was passed, and shows it as pending meanwhile", async () => {
    const stage = await running();
    stage.service.delayMs = ({ method }) => (method === "PATCH" ? 3 * minute : 10);
    const commit = stage.commit(changed("prod"));
    await stage.run(1.5 * minute);
    expect(await stage.shown("prod")).toMatchObject({
      state: "pending",
      reason: null,
      commit,
      impact: "cosmetic",
      changes: {
        commit: 1,
        drift: 0,
        both: 0,
      },
    });
    stage.commit({ "prod/m/b.yaml": backend("b", "more") });
    await stage.run(1.2 * minute);
    expect(stage.live()).toEqual(["prod", "test"]);
    await stage.run(3 * minute);
    expect([stage.live(), await stage.state("prod")]).toEqual([["changed", "more", "test"], "synced"]);
  });

  it("keeps what a pass is writing, also when the stack is orphaned meanwhile", async () => {
    const stage = await running();
    stage.service.delayMs = ({ method }) => (method === "PATCH" ? 60 * minute : 10);
    stage.commit(changed("prod"));
    await stage.run(2 * minute);
    stage.commit({ "prod/edgewise.yaml": null });
    await stage.run(2 * minute);
    const kept = (await stage.store.load()).stacks.get("prod");
    expect([kept?.status.state, kept?.memory.writing]).toEqual(["orphaned", expect.anything()]);
  });

  it("goes on after a restart where it stopped: only what was not looked at since is", async () => {
    const stage = await running();
    await stage.run(11 * minute);
    const { lookedAt } = await stage.status("prod");
    await stage.restart();
    expect((await stage.status("prod")).lookedAt).toBe(lookedAt);
    stage.looked();
    await stage.run(minute);
    expect(stage.looked()).toEqual([]);
    await stage.restart();
    stage.commit(changed("test"));
    await stage.run(minute);
    expect(new Set(stage.looked())).toEqual(new Set(["prod", "test"]));
  });

  it("shows what is stored as old as it is, while the first fetch after a restart hangs", async () => {
    const stage = new Stage();
    stage.add("prod", oneBackend("prod"), { interval: "1m" });
    stage.add("test");
    await stage.run(2000);
    await stage.restart();
    await stage.clock.sleep(5 * minute);
    const { fetch } = stage.sources;
    stage.sources.fetch = async (source, before, signal) => {
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      return fetch.call(stage.sources, source, before, signal);
    };
    await stage.run(1000);
    const states = [(await stage.shown("prod")).state, (await stage.shown("test")).state];
    expect(states).toEqual(["unknown", "synced"]);
  });

  it.each([-5, 5])("still looks at everything within an interval when the clock is set by %i hours", async (hours) => {
    const stage = await running();
    stage.clock.shift(hours * 60 * minute);
    await stage.run(11.5 * minute);
    expect(new Set(stage.looked())).toEqual(new Set(["prod", "test"]));
    stage.commit(changed("prod"));
    await stage.run(1.2 * minute);
    expect(stage.live()).toEqual(["changed", "test"]);
  });

  it("turns in no circles while looks fail and the last one was in the future", async () => {
    const stage = await running();
    stage.service.trouble = ({ method }) => (method === "GET" ? { status: 500 } : null);
    stage.clock.shift(-180 * minute);
    await stage.run(10 * minute);
    const looks = stage.looked().length;
    expect(looks).toBeGreaterThan(4);
    expect(looks).toBeLessThan(60);
  });

  it("lets a pass that crashes fail its stacks as a bug, without a stack trace, and goes on", async () => {
    const stage = new Stage();
    stage.add("prod");
    let crashes = 1;
    await stage.start({
      connect: async (...args) =>
        crashes-- > 0 ? ({ close: 7 } as unknown as Client) : stage.service.connect(...args),
    });
    await stage.run(500);
    expect((await stage.status("prod")).message).toMatch(/^this is a bug in edgewise .*TypeError: [^\n]*$/u);
    expect(stage.named("bug")).toHaveLength(1);
    await stage.run(minute);
    expect(await stage.state("prod")).toBe("synced");
  });

  it("goes on looking while nothing can be saved, writes nothing, and saves everything afterwards", async () => {
    const stage = new Stage();
    stage.add("prod");
    stage.database.up = false;
    await stage.run(minute);
    expect([await stage.state("prod"), stage.service.writes]).toEqual(["failed", []]);
    expect(stage.named("store-failed")).toHaveLength(1);
    stage.database.up = true;
    await stage.run(10 * minute);
    expect((await stage.store.load()).stacks.get("prod")?.status.state).toBe("synced");
    expect(stage.named("store-recovered")).toHaveLength(1);
  });

  it("begins nothing after a stop, lets what runs end, and has saved it", async () => {
    const stage = await running();
    stage.service.delayMs = ({ method }) => (method === "PATCH" ? 5 * minute : 10);
    stage.commit({ ...changed("prod"), ...changed("test") });
    await stage.run(1.5 * minute);
    await stage.end();
    expect(stage.service.writes.filter((write) => write.startsWith("PATCH"))).toHaveLength(1);
    expect(stage.live()).toHaveLength(2);
    expect((await stage.store.load()).stacks.get("prod")?.memory.writing ?? null).toBeNull();
  });
});

describe("a source", () => {
  it("that can't be read orphans nobody, and its last commit goes on being looked at", async () => {
    const stage = await running();
    stage.sources.break("edge", "gone");
    await stage.run(25 * minute);
    expect(stage.named("source-failed")).toHaveLength(1);
    expect(stage.looked().filter((name) => name === "prod").length).toBeGreaterThanOrEqual(2);
    expect(await stage.states("prod", "test")).toEqual(["failed", "failed"]);
    expect((await stage.shown("prod")).ageSeconds).toBeLessThan(12 * 60);
    await stage.restart();
    await stage.run(5 * minute);
    expect(stage.named("source-failed")).toHaveLength(1);
  });

  it("whose tip was rewound makes its stacks wait, soon", async () => {
    const stage = await running();
    stage.sources.rewind("edge", { "prod/edgewise.yaml": "x", "test/edgewise.yaml": "x" });
    await stage.run(1.5 * minute);
    expect(stage.looked()).toEqual(["prod", "test"]);
  });
});

describe("a stack that vanishes", () => {
  it("is orphaned, told once, kept, and taken up again", async () => {
    const stage = await matching();
    const config = "apiVersion: edgewise/v1\nkind: Config\nstack: prod\nmanifests: [m/]\n";
    stage.commit({ "prod/edgewise.yaml": null });
    await stage.run(13 * minute);
    expect(stage.named("state-changed").filter(({ to }) => to === "orphaned")).toHaveLength(1);
    expect(stage.looked()).not.toContain("all/prod");
    expect([await stage.state("all/prod"), stage.live()]).toEqual(["orphaned", ["prod", "test"]]);
    expect(stage.store.history.filter(({ outcome }) => outcome === "orphaned")).toHaveLength(1);
    stage.commit({ "prod/edgewise.yaml": config });
    await stage.run(1.2 * minute);
    expect(await stage.state("all/prod")).toBe("synced");
  });

  it("with its entry is orphaned, until it is forgotten", async () => {
    const stage = await running();
    delete stage.file.stacks["test"];
    await stage.reload();
    expect((await stage.shown("test")).state).toBe("orphaned");
    stage.file["forgotten"] = ["test"];
    await stage.reload();
    await expect(stage.record("test")).rejects.toThrow("has no record");
    expect(stage.live()).toEqual(["prod", "test"]);
  });

  it("was none when its configuration was never there: its entry fails and says so, until it is", async () => {
    const stage = await running();
    stage.file.stacks["typo"] = { source: "edge", account: "main", config: "typo/edgewise.yaml" };
    await stage.reload();
    await stage.run(minute);
    expect(await stage.status("typo")).toMatchObject({
      state: "failed",
      lookedAt: null,
      message: expect.stringContaining("there is no typo/edgewise.yaml"),
    });
    stage.add("typo");
    await stage.run(1.2 * minute);
    expect(await stage.state("typo")).toBe("synced");
  });

  it.each(["a..b", ".lock"])("can't be named %s: it fails, and no other does", async (name) => {
    const stage = await matching();
    stage.add(name);
    delete stage.file.stacks[name];
    await stage.run(1.5 * minute);
    expect(await stage.states(`all/prod`, `all/test`)).toEqual(["synced", "synced"]);
    const shown = name.startsWith(".") ? null : await stage.status(`all/${name}`);
    expect(shown?.state ?? "failed").toBe("failed");
    expect(stage.live()).toEqual(["prod", "test"]);
  });
});

describe("two stacks with one marker in one account", () => {
  const claiming = (stack: string, more = "") =>
    `apiVersion: edgewise/v1\nkind: Config\nstack: ${stack}\nmanifests: [m/]\n${more}`;

  it("both fail, write nothing, and go on when one of them is renamed", async () => {
    const stage = await running();
    stage.commit({ "test/edgewise.yaml": claiming("prod"), ...changed("prod") });
    await stage.run(1.5 * minute);
    expect(await stage.states("prod", "test")).toEqual(["failed", "failed"]);
    expect((await stage.status("prod")).message).toMatch(/claims the marker "prod" in accounts\.main, which test \(/u);
    expect(stage.live()).toEqual(["prod", "test"]);
    stage.commit({ "test/edgewise.yaml": claiming("test") });
    await stage.run(1.5 * minute);
    expect(await stage.states("prod", "test")).toEqual(["synced", "synced"]);
    expect(stage.live()).toEqual(["changed", "test"]);
  });

  it("fail, too, when one claims a former marker, or an HTTPS edge, that the other has", async () => {
    const stage = await running();
    const [prod = {}, test = {}] = Object.values(stage.file.stacks);
    test["allow"] = { previousStacks: ["prod"] };
    await stage.reload();
    stage.commit({ "test/edgewise.yaml": claiming("test", "previousStacks: [prod]\n") });
    await stage.run(1.5 * minute);
    expect(await stage.states("prod", "test")).toEqual(["failed", "failed"]);
    stage.commit({ "test/edgewise.yaml": claiming("test") });
    Object.assign(stage.file.accounts, { again: { ...stage.file.accounts["main"] } });
    for (const entry of [prod, test]) entry["allow"] = { modulesOf: ["edghts_1"] };
    test["account"] = "again";
    await expect(stage.reload()).rejects.toThrow();
  });

  it("both fail when one of them can't be read any more: its marker is what it was", async () => {
    const stage = await running();
    stage.commit({ "prod/edgewise.yaml": "broken\n", "test/edgewise.yaml": claiming("prod") });
    await stage.run(1.5 * minute);
    expect((await stage.status("test")).message).toMatch(/prod \(fleet\.yaml:\d+:\d+\) claims too/u);
    expect(stage.live()).toEqual(["prod", "test"]);
  });
});

describe("another fleet file", () => {
  it("has every stack looked at anew", async () => {
    const stage = await matching();
    await stage.reload();
    await stage.run(1000);
    expect(stage.looked()).toEqual(["all/prod", "all/test"]);
    expect(stage.named("restart-needed")).toEqual([]);
  });

  it("that pauses ends what runs softly, and looks with the pause", async () => {
    const stage = await running();
    stage.service.delayMs = ({ method }) => (method === "PATCH" ? 5 * minute : 10);
    stage.commit({ ...changed("prod"), ...changed("test") });
    await stage.run(1.2 * minute);
    stage.file["pause"] = true;
    await stage.reload();
    await stage.run(9 * minute);
    expect(stage.service.writes.filter((write) => write.startsWith("PATCH"))).toHaveLength(1);
    expect((await stage.states("prod", "test")).toSorted()).toEqual(["synced", "waiting: paused"]);
  });

  it("heals by its new policy at once", async () => {
    const stage = await running();
    stage.edit({ status_code: 500 }, "page-prod");
    await stage.run(12 * minute);
    expect(await stage.state("prod")).toBe("waiting: approval");
    stage.file["defaults"] = everything;
    await stage.reload();
    await stage.run(1000);
    expect(stage.service.writes.at(-1)).toMatch(new RegExp(`^PATCH ${collection}`, "u"));
  });
});
