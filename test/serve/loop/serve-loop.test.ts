import { describe, expect, it } from "vitest";
import { EdgewiseError } from "../../../src/errors.ts";
import { shownState } from "../../../src/serve/decisions/schedule.ts";
import { showStack } from "../../../src/serve/http/shown-stack.ts";
import { createServeLoop } from "../../../src/serve/serve-loop.ts";
import { createLoopView } from "../../../src/serve/loop-view.ts";
import { LoopStage, accountOf, entryOf, fleetOf, looked, minute } from "./loop-fixture.ts";

const files = { "prod/edgewise.yaml": "stack: prod\n", "test/edgewise.yaml": "stack: test\n" };
const both = fleetOf([entryOf("prod"), entryOf("test")]);

describe("the loop", () => {
  it("looks at everything at the start, then once in an interval", async () => {
    const stage = new LoopStage();
    stage.sources.push("edge", files);
    await stage.start(both);
    await stage.after(1000);
    expect(stage.taken()).toEqual(["prod", "test"]);
    await stage.after(8 * minute);
    expect(stage.taken()).toEqual([]);
    await stage.after(4 * minute);
    expect(stage.taken().toSorted()).toEqual(["prod", "test"]);
    expect(stage.sources.fetches.get("edge")).toBeGreaterThanOrEqual(11);
  });

  it("shows what the store has as old as it is, while the first fetch after a restart hangs", async () => {
    const stage = new LoopStage();
    stage.sources.push("edge", { ...files, "tenants/a/edgewise.yaml": "stack: a\n" });
    const policy = { ...entryOf("prod").policy, intervalMs: minute };
    const fleet = fleetOf([
      entryOf("prod", { policy }),
      entryOf("tenants", { policy, config: { pattern: "tenants/*/edgewise.yaml" } }),
      entryOf("test"),
    ]);
    const first = await stage.start(fleet);
    await stage.after(1000);
    stage.stop.abort();
    await first.ended;
    await stage.after(5 * minute);
    stage.sources.fetch = () => new Promise(() => undefined);
    const { clock, store } = stage;
    const view = createLoopView(await createServeLoop(fleet, stage.deps), {
      store,
      clock,
      troubles: () => [],
    });
    const shown = view.stacks().map((one) => showStack(one, shownState, clock.now()));
    expect(Object.fromEntries(shown.map(({ name, state }) => [name, state]))).toEqual({
      prod: "unknown",
      "tenants/a": "unknown",
      test: "synced",
    });
  });

  it("hastens exactly the stack whose directory a push changed, within a poll", async () => {
    const stage = new LoopStage();
    stage.sources.push("edge", files);
    const { loop } = await stage.start(both);
    await stage.after(2 * minute);
    stage.taken();
    const commit = stage.sources.edit("edge", { "prod/edge.yaml": "kind: …\n" });
    await stage.after(1.2 * minute);
    expect(stage.taken()).toEqual(["prod"]);
    expect(loop.state.stacks.get("prod")?.status.commit).toBe(commit);
    expect(stage.named("source-followed").at(-1)).toMatchObject({ commit, stacks: 1 });
  });

  it("shows a stack as pending, at its commit, while what is allowed is written", async () => {
    const stage = new LoopStage();
    const commit = stage.sources.push("edge", files);
    const seen = { commit, impact: "routing" as const, changes: { commit: 1, drift: 0, both: 0 }, message: "1 change" };
    stage.pass = async (input, deps) => {
      deps.onPending?.("prod", { ...seen, lookedAt: stage.clock.now() });
      await stage.clock.sleep(minute);
      return stage.lookAtAll(input);
    };
    const { loop } = await stage.start(both);
    await stage.after(minute / 2);
    expect(loop.state.stacks.get("prod")?.status).toMatchObject({ ...seen, state: "pending", reason: null });
    await stage.after(minute);
    expect(loop.state.stacks.get("prod")?.status).toMatchObject({ state: "synced" });
  });

  it("keeps what a pass is writing, also when the stack is orphaned meanwhile", async () => {
    const stage = new LoopStage();
    stage.sources.push("edge", files);
    await stage.start(both);
    await stage.after(minute);
    const writing = { since: stage.clock.now(), made: {} };
    stage.pass = async (input, deps) => {
      const record = input.due.find(({ target }) => target.name === "prod")?.record;
      if (record === null || record === undefined) return stage.lookAtAll(input);
      const memory = { ...record.memory, writing };
      deps.onRemembered?.("prod", memory);
      await deps.store.saveStack({ ...record, memory });
      await stage.clock.sleep(60 * minute);
      return stage.lookAtAll(input);
    };
    stage.sources.edit("edge", { "prod/a.yaml": "1" });
    await stage.after(2 * minute);
    stage.sources.edit("edge", { "prod/edgewise.yaml": null });
    await stage.after(2 * minute);
    // Whoever starts after a kill finds it.
    const kept = (await stage.store.load()).stacks.get("prod");
    expect(kept?.status.state).toBe("orphaned");
    expect(kept?.memory.writing).toEqual(writing);
  });

  it("passes an account once at a time, and accounts side by side", async () => {
    const stage = new LoopStage();
    stage.sources.push("edge", files);
    const running = new Map<string, number>();
    let most = 0;
    stage.pass = async (input) => {
      const { name } = input.account;
      running.set(name, (running.get(name) ?? 0) + 1);
      expect(running.get(name)).toBe(1);
      most = Math.max(most, [...running.values()].filter((count) => count > 0).length);
      await stage.clock.sleep(3 * minute);
      running.set(name, 0);
      return stage.lookAtAll(input);
    };
    const accounts = new Map([
      ["main", accountOf("main")],
      ["other", accountOf("other")],
    ]);
    const { loop } = await stage.start(fleetOf([entryOf("prod"), entryOf("test", { account: "other" })], { accounts }));
    await stage.after(minute);
    stage.sources.edit("edge", { "prod/a.yaml": "1" });
    loop.hasten("edge");
    await stage.after(minute);
    // What was hastened while it was passed is passed again.
    expect(stage.taken().toSorted()).toEqual(["prod", "test"]);
    expect(most).toBe(2);
    await stage.after(4 * minute);
    expect(stage.taken()).toEqual(["prod"]);
  });

  it("starts where it stopped: after a restart only what changed since is looked at", async () => {
    const stage = new LoopStage();
    stage.sources.push("edge", files);
    const first = await stage.start(both);
    await stage.after(1000);
    stage.stop.abort();
    await first.ended;
    stage.taken();
    stage.sources.edit("edge", { "test/a.yaml": "1" });
    const again = new AbortController();
    const ended = (await createServeLoop(both, stage.deps)).run({ stop: again.signal, hardStop: again.signal });
    await stage.after(minute);
    expect(stage.taken()).toEqual(["test"]);
    again.abort();
    await ended;
  });

  it.each([-5, 5])("still looks at everything within an interval when the clock is set by %i hours", async (hours) => {
    const stage = new LoopStage();
    stage.sources.push("edge", files);
    await stage.start(both);
    await stage.after(minute);
    stage.taken();
    stage.clock.shift(hours * 60 * minute);
    await stage.after(11.5 * minute);
    expect(new Set(stage.taken())).toEqual(new Set(["prod", "test"]));
    stage.sources.edit("edge", { "prod/a.yaml": "1" });
    await stage.after(1.2 * minute);
    expect(stage.taken()).toContain("prod");
  });

  it("lets a pass that crashes fail its stacks as a bug, without a stack trace or secret, and goes on", async () => {
    const stage = new LoopStage();
    stage.sources.push("edge", files);
    let crashes = 1;
    stage.pass = async (input) => {
      if (crashes-- > 0) throw new TypeError("cannot read hunter2");
      return stage.lookAtAll(input);
    };
    await stage.start(both);
    await stage.after(500);
    const { status } = (await stage.store.load()).stacks.get("prod") ?? {};
    expect(status).toMatchObject({ state: "failed" });
    expect(status?.message).toMatch(/^this is a bug in edgewise .*TypeError: cannot read \(secret\)$/u);
    expect(stage.named("bug")).toHaveLength(1);
    await stage.after(minute);
    expect((await stage.store.load()).stacks.get("prod")?.status.state).toBe("synced");
  });

  it("goes on looking while the store can't be written, and saves everything afterwards", async () => {
    const stage = new LoopStage();
    stage.sources.push("edge", files);
    stage.store.usable = false;
    const { loop } = await stage.start(both);
    await stage.after(minute);
    expect(loop.state.stacks.get("prod")?.status.state).toBe("synced");
    expect(stage.named("store-failed")).toHaveLength(1);
    expect((await stage.store.load()).stacks.size).toBe(0);
    stage.store.usable = true;
    await stage.after(minute);
    expect([...(await stage.store.load()).stacks.keys()].toSorted()).toEqual(["prod", "test"]);
    expect(stage.named("store-recovered")).toHaveLength(1);
  });

  it("begins nothing after a stop, lets what runs end, and has saved it", async () => {
    const stage = new LoopStage();
    stage.sources.push("edge", files);
    let stopped = false;
    stage.pass = async (input, { stop }) => {
      await stage.clock.sleep(10 * minute, stop);
      stopped = stop.aborted;
      return stage.lookAtAll(input);
    };
    const { ended } = await stage.start(both);
    await stage.after(minute);
    stage.stop.abort();
    await ended;
    expect(stopped).toBe(true);
    expect(stage.passes).toHaveLength(1);
    expect((await stage.store.load()).stacks.get("prod")?.status.state).toBe("synced");
  });
});

describe("a source", () => {
  it("that can't be read orphans nobody, and its last commit goes on being kept", async () => {
    const stage = new LoopStage();
    stage.sources.push("edge", files);
    const { loop } = await stage.start(both);
    await stage.after(minute);
    stage.sources.break("edge", "gone");
    stage.taken();
    await stage.after(25 * minute);
    expect(stage.taken().filter((name) => name === "prod").length).toBeGreaterThanOrEqual(2);
    expect([...loop.state.stacks.values()].map(({ status }) => status.state)).toEqual(["synced", "synced"]);
    expect(stage.named("source-failed")).toHaveLength(1);
    // Whoever starts it again hears of it, once.
    stage.stop.abort();
    await stage.after(1000);
    const again = new AbortController();
    const ended = (await createServeLoop(both, stage.deps)).run({ stop: again.signal, hardStop: again.signal });
    await stage.after(5 * minute);
    expect(stage.named("source-failed")).toHaveLength(2);
    again.abort();
    await ended;
  });

  it("whose tip was rewound is passed on as such to its stacks, soon", async () => {
    const stage = new LoopStage();
    stage.sources.push("edge", files);
    await stage.start(both);
    await stage.after(minute);
    const seen: unknown[] = [];
    stage.pass = async (input) => {
      seen.push(...input.due.map(({ unfollowed }) => unfollowed?.rewound));
      return stage.lookAtAll(input);
    };
    stage.sources.rewind("edge", files);
    await stage.after(1.5 * minute);
    expect(seen).toEqual([true, true]);
  });
});

describe("a stack that vanishes", () => {
  const pattern = { config: { pattern: "*/edgewise.yaml" } } as const;

  it("is orphaned, told once, kept, and taken up again", async () => {
    const stage = new LoopStage();
    stage.sources.push("edge", files);
    const { loop } = await stage.start(fleetOf([entryOf("all", pattern)]));
    await stage.after(minute);
    stage.sources.edit("edge", { "prod/edgewise.yaml": null });
    await stage.after(1.2 * minute);
    stage.taken();
    await stage.after(12 * minute);
    expect(stage.taken()).not.toContain("all/prod");
    expect((await stage.store.load()).stacks.get("all/prod")?.status).toMatchObject({ state: "orphaned" });
    expect(stage.named("state-changed").filter(({ to }) => to === "orphaned")).toHaveLength(1);
    expect(stage.store.history.filter(({ outcome }) => outcome === "orphaned")).toHaveLength(1);
    stage.sources.edit("edge", { "prod/edgewise.yaml": "stack: prod\n" });
    await stage.after(1.2 * minute);
    expect(stage.taken()).toEqual(["all/prod"]);
    expect(loop.state.stacks.get("all/prod")?.status.state).toBe("synced");
  });

  it("with its entry is orphaned, until it is forgotten", async () => {
    const stage = new LoopStage();
    stage.sources.push("edge", files);
    const { loop } = await stage.start(both);
    await stage.after(minute);
    await loop.changeFleet(fleetOf([entryOf("prod")]));
    expect(loop.state.stacks.get("test")?.status.state).toBe("orphaned");
    await loop.changeFleet(fleetOf([entryOf("prod")], { forgotten: new Set(["test"]) }));
    expect(loop.state.stacks.has("test")).toBe(false);
    expect((await stage.store.load()).stacks.has("test")).toBe(false);
  });
});

describe("an entry whose configuration was never there", () => {
  it("fails and says so, until it is there", async () => {
    const stage = new LoopStage();
    stage.sources.push("edge", files);
    const { loop } = await stage.start(fleetOf([entryOf("typo")]));
    await stage.after(minute);
    expect(stage.taken()).toEqual([]);
    expect(loop.state.stacks.get("typo")?.status).toMatchObject({ state: "failed", lookedAt: null });
    expect(loop.state.stacks.get("typo")?.status.message).toContain("there is no typo/edgewise.yaml");
    stage.sources.edit("edge", { "typo/edgewise.yaml": "" });
    await stage.after(1.2 * minute);
    expect(loop.state.stacks.get("typo")?.status.state).toBe("synced");
  });
});

describe("a clock that is set back", () => {
  it("turns no loop in circles while looks fail, though the last one was in the future", async () => {
    const stage = new LoopStage();
    stage.sources.push("edge", files);
    const { loop } = await stage.start(fleetOf([entryOf("prod")]));
    await stage.after(minute);
    stage.taken();
    stage.pass = async (input) => {
      const now = stage.clock.now();
      const { lookedAt = null } = input.due[0]?.record?.status ?? {};
      const record = looked(input, 0, now, { state: "failed", lookedAt, nextLook: now + 5000 });
      return { account: input.record, stacks: [{ record, history: [] }] };
    };
    stage.clock.shift(-180 * minute);
    await stage.after(minute);
    const looks = stage.passes.length;
    expect(looks).toBeGreaterThan(8);
    expect(looks).toBeLessThan(15);
    expect(loop.state.stacks.get("prod")?.status.lookedAt).toBeNull();
  });
});

describe("what is saved", () => {
  it("of stacks at rest is every second look, everything at the end, and every change at once", async () => {
    const stage = new LoopStage();
    stage.sources.push("edge", files);
    const saved: string[] = [];
    stage.store.onWrite = (what, value) => {
      if (what === "stack") saved.push((value as { readonly name: string }).name);
      if (what === "account" || what === "history") saved.push(what);
    };
    const { loop, ended } = await stage.start(both);
    await stage.after(minute);
    expect(saved).toEqual(["account", "prod", "test"]);
    await stage.after(40 * minute);
    expect(stage.taken()).toHaveLength(10);
    expect(saved.splice(0)).toEqual(["account", "prod", "test", "prod", "test", "prod", "test"]);
    const kept = (await stage.store.load()).stacks.get("prod")?.status;
    expect(stage.clock.now() - (kept?.lookedAt ?? 0)).toBeLessThan(2 * 10 * minute);
    stage.pass = async (input) => {
      const { account, stacks } = await stage.lookAtAll(input);
      const [first, ...rest] = stacks;
      if (first === undefined) return { account, stacks };
      const record = { ...first.record, memory: { ...first.record.memory, deletes: [stage.clock.now()] } };
      return { account: { ...account, lastWrite: stage.clock.now() }, stacks: [{ ...first, record }, ...rest] };
    };
    await stage.after(10 * minute);
    expect(saved.splice(0)).toEqual(["account", "prod"]);
    stage.stop.abort();
    await ended;
    expect(saved).toEqual(["test"]);
    expect((await stage.store.load()).stacks).toEqual(loop.state.stacks);
  });
});

describe("two stacks with one marker in one account", () => {
  it("both fail, are not passed, and go on when one of them is renamed", async () => {
    const stage = new LoopStage();
    stage.sources.push("edge", { ...files, "test/edgewise.yaml": "stack: prod\n" });
    const { loop } = await stage.start(both);
    await stage.after(minute);
    expect(stage.taken()).toEqual([]);
    for (const name of ["prod", "test"]) expect(loop.state.stacks.get(name)?.status.state).toBe("failed");
    expect(loop.state.stacks.get("prod")?.status.message).toContain("test (fleet.yaml:1)");
    stage.sources.edit("edge", { "test/edgewise.yaml": "stack: test\n" });
    await stage.after(1.2 * minute);
    expect(stage.taken().toSorted()).toEqual(["prod", "test"]);
  });

  it("fail when one claims a former marker, or an HTTPS edge, that the other has", async () => {
    const stage = new LoopStage();
    const allow = { previousStacks: ["prod"], adopt: [], modulesOf: [], guards: [] };
    const modules = { ...allow, modulesOf: ["edghts_1"] };
    stage.sources.push("edge", files);
    const entries = [entryOf("prod"), entryOf("test", { stack: "test", allow })];
    const { loop } = await stage.start(fleetOf(entries));
    await stage.after(minute);
    expect(stage.taken().toSorted()).toEqual(["prod", "test"]);
    stage.sources.edit("edge", { "test/edgewise.yaml": "stack: test\npreviousStacks: prod\n" });
    await stage.after(1.2 * minute);
    const stateOf = (name: string) => loop.state.stacks.get(name)?.status.state;
    expect([stateOf("prod"), stateOf("test")]).toEqual(["failed", "failed"]);
    stage.sources.push("edge", files);
    await loop.changeFleet(fleetOf(["prod", "test"].map((name) => entryOf(name, { allow: modules }))));
    await stage.after(1.2 * minute);
    expect([stateOf("prod"), stateOf("test")]).toEqual(["failed", "failed"]);
    expect(loop.state.stacks.get("prod")?.status.message).toContain("the modules of edghts_1");
  });

  it("both fail when one of them can't be read any more: its marker is what it was", async () => {
    const stage = new LoopStage();
    stage.pass = async (input) => {
      const { account, stacks } = await stage.lookAtAll(input);
      return { account, stacks: stacks.map((one) => ({ ...one, record: { ...one.record, stack: one.record.name } })) };
    };
    stage.sources.push("edge", files);
    const { loop } = await stage.start(both);
    await stage.after(minute);
    stage.taken();
    stage.sources.edit("edge", { "prod/edgewise.yaml": "broken\n", "test/edgewise.yaml": "stack: prod\n" });
    await stage.after(1.2 * minute);
    expect(stage.taken()).toEqual([]);
    expect(loop.state.stacks.get("test")?.status.message).toContain("prod (fleet.yaml:1) claims too");
  });
});

describe("another fleet file", () => {
  it("hastens what it changes and nothing else", async () => {
    const stage = new LoopStage();
    stage.sources.push("edge", files);
    const { loop } = await stage.start(both);
    await stage.after(minute);
    stage.taken();
    await loop.changeFleet(fleetOf([entryOf("prod", { variables: { region: "eu" } }), entryOf("test")]));
    await stage.after(1000);
    expect(stage.taken()).toEqual(["prod"]);
    expect(stage.named("restart-needed")).toEqual([]);
  });

  it("that pauses ends what runs softly, and looks with the pause", async () => {
    const stage = new LoopStage();
    stage.sources.push("edge", files);
    const { loop } = await stage.start(both);
    stage.pass = async (input, { stop }) => {
      await stage.clock.sleep(5 * minute, stop);
      return {
        account: input.record,
        stacks: input.due.map((_, index) => ({
          record: looked(input, index, stage.clock.now()),
          history: [],
        })),
      };
    };
    await stage.after(1000);
    await loop.changeFleet({ ...both, pause: true });
    await stage.after(1000);
    expect(stage.passes.map(({ paused }) => paused)).toEqual([false, true]);
  });
});

describe("old history", () => {
  it("that can't be removed is a matter of the store, and no bug", async () => {
    const stage = new LoopStage();
    stage.sources.push("edge", files);
    stage.store.pruneHistory = async () => {
      throw new EdgewiseError("io", "the database is gone");
    };
    await stage.start(both);
    await stage.after(minute);
    expect(stage.named("bug")).toEqual([]);
    expect(stage.named("store-failed")).toMatchObject([{ message: "the database is gone" }]);
  });
});
