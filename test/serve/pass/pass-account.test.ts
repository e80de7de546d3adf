import { describe, expect, it } from "vitest";
import { EdgewiseError } from "../../../src/core/errors.ts";
import type { StackRecord } from "../../../src/serve/records.ts";
import { hashPlan } from "../../../src/plan/plan-format.ts";
import { SimulatedAccount } from "../support/simulated-account.ts";
import { Stage, type Written, backend, collection, everything, minute, oneBackend } from "../support/stage.ts";

async function appliedStage(entry: Written = {}): Promise<Stage> {
  const stage = new Stage();
  stage.add("shop", { "a.yaml": backend("sorry", "Back soon") }, entry);
  await stage.pass();
  expect(await stage.state("shop")).toBe("synced");
  stage.service.requests.length = 0;
  return stage;
}

function stageOf(...names: readonly string[]): Stage {
  const stage = new Stage();
  for (const name of names) stage.add(name);
  return stage;
}

const later = { "shop/m/a.yaml": backend("sorry", "Back later") };

describe("a pass over an account", () => {
  it("applies what a commit asks for, verifies it, and records it", async () => {
    const stage = await appliedStage();
    const commit = stage.commit(later);
    await stage.clock.sleep(5000);
    const began = stage.clock.now();
    stage.events.splice(0);
    await stage.pass();
    const status = await stage.status("shop");
    expect(status).toMatchObject({ state: "synced", commit, appliedCommit: commit, uncomparedSecrets: 0 });
    expect(status.lookedAt).toBeGreaterThan(began);
    expect(stage.live()).toEqual(["Back later"]);
    expect(stage.store.history.map(({ event, outcome, operations }) => [event, outcome, operations.length])).toEqual([
      ["apply", "applied", 1],
      ["state", "synced", 0],
      ["apply", "applied", 1],
    ]);
    expect(stage.events.map(({ event }) => event).filter((event) => event.startsWith("apply"))).toEqual([
      "apply-started",
      "apply-ended",
    ]);
  });

  it("heals a change by hand when the policy allows it, and waits when it does not", async () => {
    const stage = await appliedStage();
    stage.edit({ description: "by hand" });
    await stage.pass();
    expect(stage.live()).toEqual(["Back soon"]);
    stage.edit({ status_code: 500 });
    stage.service.requests.length = 0;
    await stage.pass();
    const status = await stage.status("shop");
    expect(status).toMatchObject({ state: "waiting", reason: "approval", changes: { commit: 0, drift: 1, both: 0 } });
    expect(stage.service.writes).toEqual([]);
    const plan = await stage.store.readPlan("shop");
    expect(plan?.changes).toMatchObject([{ address: "HTTPResponseBackend/sorry", origin: "drift" }]);
    expect(plan?.hash).toBe(plan === null ? null : hashPlan(plan));
    await stage.clock.sleep(minute);
    await stage.pass();
    expect((await stage.status("shop")).since).toBe(status.since);
    stage.edit({ status_code: 503 });
    await stage.pass();
    expect([await stage.state("shop"), await stage.store.readPlan("shop")]).toEqual(["synced", null]);
  });

  it("serves the looks of all stacks with one listing, at rest and while one of them waits", async () => {
    const stage = stageOf("a", "b", "c");
    await stage.pass();
    expect(stage.live()).toEqual(["a", "b", "c"]);
    for (const state of ["synced", "waiting: approval"]) {
      stage.service.requests.length = 0;
      await stage.pass();
      expect(new Set(stage.service.requests.map(({ path }) => path)).size).toBe(stage.service.requests.length);
      expect(await stage.state("a")).toBe(state);
      stage.edit({ status_code: 500 }, "page-a");
    }
  });

  it("writes by lists that were begun after its last write, and never by those of the looks", async () => {
    const stage = stageOf("a", "b");
    await stage.pass();
    const order = stage.service.requests
      .filter(({ method, path }) => method !== "GET" || path === collection)
      .map(({ method }) => method);
    expect(order).toEqual(["GET", "GET", "POST", "GET", "POST", "GET"]);
  });

  it("waits for lists that lag behind its writes, and makes nothing twice", async () => {
    const stage = stageOf("shop");
    stage.service.lagMs = 4000;
    await stage.pass();
    expect(await stage.state("shop")).toBe("synced");
    expect(stage.service.writes).toEqual([`POST ${collection}`]);
  });

  it("fails with the service's words when it refuses a write, knows what is done, and goes on from there", async () => {
    const stage = new Stage();
    stage.add("shop", { "a.yaml": backend("first", "One"), "b.yaml": backend("second", "Two") });
    stage.service.trouble = ({ body }) =>
      body?.includes("Two") === true ? { status: 400, message: "not today" } : null;
    await stage.pass();
    const status = await stage.status("shop");
    expect(status).toMatchObject({ state: "failed", appliedCommit: null });
    expect(status.message).toMatch(/HTTPResponseBackend\/second failed: .*not today/u);
    expect(stage.store.history.map(({ event, outcome }) => `${event} ${outcome}`)).toContain("apply partial");
    stage.service.trouble = () => null;
    stage.edit({ description: "by hand" }, "first");
    await stage.pass({ dryRun: true });
    expect((await stage.status("shop")).changes).toEqual({ commit: 1, drift: 1, both: 0 });
    await stage.pass();
    expect([await stage.state("shop"), stage.live()]).toEqual(["synced", ["One", "Two"]]);
  });

  it.each([500, 403, 429])(
    "fails every stack when lists answer %i, writes nothing in the dark, and looks first afterwards",
    async (status) => {
      const stage = await appliedStage(everything);
      stage.add("other");
      stage.service.trouble = ({ method }) => (method === "GET" ? { status, message: "closed today" } : null);
      await stage.pass();
      for (const name of ["shop", "other"]) {
        const { message, state } = await stage.status(name);
        expect([state, message]).toEqual(["failed", expect.stringContaining("closed today")]);
        expect(message).not.toMatch(/EDGEWISE_API_KEY|api\.requestsPerMinute|--/);
      }
      expect(stage.service.writes).toEqual([]);
      stage.service.trouble = () => null;
      stage.edit({ description: "by hand" });
      await stage.pass();
      expect([await stage.state("shop"), stage.live()]).toEqual(["waiting: brake", ["by hand", "other"]]);
    },
  );

  it("writes to no further stack once lists can't be read between two writes", async () => {
    const stage = stageOf("a", "b", "c");
    let broken = false;
    stage.service.onRequest = ({ method }) => (broken ||= method === "POST");
    stage.service.trouble = ({ method }) => (broken && method === "GET" ? { status: 500 } : null);
    await stage.pass();
    expect(stage.service.writes).toEqual([`POST ${collection}`]);
    expect(await stage.states("a", "b")).toEqual(["failed", "pending"]);
    expect((await stage.status("b")).message).toContain("live can't be read any more");
  });

  it("saves what it deletes before the first request, and writes nothing when that can't be saved", async () => {
    const stage = await appliedStage({ brake: { deletesPerDay: 2 } });
    stage.commit({ "shop/m/b.yaml": backend("b", "B"), "shop/m/c.yaml": backend("c", "C") });
    await stage.pass();
    const order: string[] = [];
    let full = true;
    stage.database.onWrite = (what, value) => {
      if (what !== "stack") return;
      if (full) throw new EdgewiseError("io", "disk full");
      order.push(`saved ${(value as StackRecord).memory.deletes.length}`);
    };
    stage.service.requests.length = 0;
    stage.service.onRequest = ({ method }) => void (method === "GET" || order.push(method));
    stage.commit({ "shop/m/b.yaml": null });
    await stage.pass();
    expect(stage.service.writes).toEqual([]);
    full = false;
    await stage.pass();
    expect(order.slice(0, 2)).toEqual(["saved 1", "DELETE"]);
    expect((await stage.memory("shop")).deletes).toHaveLength(1);
  });

  it("counts a heal for the brake, too, when the process is killed after it", async () => {
    const stage = stageOf("a", "b", "c", "d");
    await stage.pass();
    stage.edit({ description: "by hand" }, "page-a");
    await stage.killedPass();
    for (const name of ["b", "c"]) {
      stage.edit({ description: "by hand" }, `page-${name}`);
      await stage.pass();
    }
    expect([await stage.state("c"), stage.live()]).toEqual(["waiting: brake", ["a", "b", "by hand", "d"]]);
  });
});

describe("what never writes", () => {
  const cases: readonly [string, (stage: Stage) => unknown, (stage: Stage) => unknown, string][] = [
    ["a pause", ({ file }) => (file["pause"] = true), ({ file }) => (file["pause"] = false), "waiting: paused"],
    [
      "a source that can't be read",
      ({ sources }) => sources.break("edge", "no route to host"),
      ({ sources }) => sources.break("edge", null),
      "failed",
    ],
  ];
  it.each(cases)("looks all the same: %s", async (_what, begin, end, state) => {
    const stage = await appliedStage(everything);
    stage.edit({ description: "by hand" });
    begin(stage);
    await stage.pass();
    expect([await stage.state("shop"), stage.service.writes]).toEqual([state, []]);
    end(stage);
    await stage.pass();
    await stage.pass();
    expect(stage.live()).toEqual(["Back soon"]);
  });
});

describe("a resource that no list shows any more", () => {
  async function deletedStage(): Promise<{ readonly stage: Stage; readonly path: string }> {
    const stage = await appliedStage(everything);
    stage.commit({ "shop/m/b.yaml": backend("other", "Other") });
    await stage.pass();
    const path = stage.pathOf("sorry");
    stage.service.byHand("DELETE", path);
    stage.service.requests.length = 0;
    return { stage, path };
  }

  it.each([null, 410])("is made at once when the service says that it is gone (%s)", async (status) => {
    const { path, stage } = await deletedStage();
    if (status !== null) stage.service.trouble = (request) => (request.path === path ? { status } : null);
    await stage.pass();
    expect(await stage.state("shop")).toBe("synced");
    expect(stage.service.writes).toEqual([`POST ${collection}`]);
    expect(stage.service.requests.filter((request) => request.path === path)).toHaveLength(1);
  });

  it.each([403, 500])("is not made while the service does not say whether it is gone (%i)", async (status) => {
    const { path, stage } = await deletedStage();
    stage.service.trouble = (request) => (request.path === path ? { status, message: "not now" } : null);
    await stage.pass();
    expect([await stage.state("shop"), stage.service.writes]).toEqual(["failed", []]);
    const { message } = await stage.status("shop");
    expect(message).toMatch(/not now/u);
    stage.service.trouble = () => null;
    await stage.pass();
    expect([await stage.state("shop"), stage.service.writes]).toEqual(["synced", [`POST ${collection}`]]);
  });

  it("is not made again when it was made a moment ago, and no list could be read since", async () => {
    const stage = new Stage();
    stage.add("shop", { "a.yaml": backend("sorry", "Back soon") }, everything);
    let made = false;
    stage.service.trouble = ({ method }) => {
      made ||= method === "POST";
      return made && method === "GET" ? { status: 500 } : null;
    };
    await stage.pass();
    expect(stage.service.writes).toEqual([`POST ${collection}`]);
    const id = stage.pathOf().slice(collection.length + 1);
    stage.service.trouble = () => null;
    stage.service.hides = (hidden) => hidden === id;
    await stage.pass();
    await stage.pass();
    expect(stage.service.writes).toEqual([`POST ${collection}`]);
  });
});

describe("passes of one account", () => {
  it("wait for each other, under whatever name the fleet has it, and hold no other account up", async () => {
    const stage = stageOf("a");
    const { accounts } = stage.file;
    Object.assign(accounts, { twin: accounts["main"], slow: { ...accounts["main"], baseUrl: "https://slow.example" } });
    stage.add("b", oneBackend("b"), { account: "twin" });
    stage.add("c", oneBackend("c"), { account: "slow" });
    const slow = new SimulatedAccount(stage.clock);
    slow.trouble = () => ({ lost: "before" });
    stage.others.set("slow", slow);
    let [open, most] = [0, 0];
    const connect: SimulatedAccount["connect"] = async (to, changes) => {
      const client = await (to.name === "slow" ? slow : stage.service).connect(to, changes);
      if (to.name === "slow") return client;
      most = Math.max(most, (open += 1));
      return { ...client, close: () => client.close().finally(() => (open -= 1)) };
    };
    await stage.pass({ connect });
    expect([most, stage.live()]).toEqual([1, ["a", "b"]]);
    expect(await stage.states("a", "b", "c")).toEqual(["synced", "synced", "failed"]);
  });
});
