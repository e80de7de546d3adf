import { describe, expect, it } from "vitest";
import { EdgewiseError } from "../../../src/errors.ts";
import { lockBody } from "../../../src/kinds/lock-object.ts";
import type { PendingStatus } from "../../../src/serve/account/account-pass.ts";
import type { StackMemory } from "../../../src/serve/records.ts";
import { hashPlan } from "../../../src/plan/canonical-json.ts";
import { Stage, backend, policy } from "./support/stage.ts";

const collection = "/backends/http_response";

/** A stack that was applied. */
async function appliedStage(name = "shop"): Promise<Stage> {
  const stage = new Stage();
  stage.add(name, { "a.yaml": backend("sorry", "Back soon") });
  await stage.pass();
  expect(await stage.stateOf(name)).toBe("synced");
  stage.service.requests.length = 0;
  return stage;
}

function idOf(stage: Stage): string {
  return String(stage.service.lists().HTTPResponseBackend[0]?.["id"]);
}

function descriptions(stage: Stage): readonly string[] {
  return stage.service
    .lists()
    .HTTPResponseBackend.map(({ description }) => String(description))
    .toSorted();
}

describe("a pass over an account", () => {
  it("applies what a commit asks for, verifies it, and records it", async () => {
    const stage = await appliedStage();
    const commit = stage.commit({ "shop/m/a.yaml": backend("sorry", "Back later") });
    await stage.clock.sleep(5000);
    const began = stage.clock.now();
    const { account } = await stage.pass();
    const { memory, status } = await stage.recordOf("shop");
    expect(status).toMatchObject({ state: "synced", commit, appliedCommit: commit, uncomparedSecrets: 0 });
    expect(status.lookedAt).toBeGreaterThan(began);
    expect(Object.keys(memory.synced)).toEqual(["HTTPResponseBackend/sorry"]);
    expect(descriptions(stage)).toEqual(["Back later"]);
    expect(account.lastWrite).toBeGreaterThan(began);
    expect(stage.store.history.map(({ event, outcome, operations }) => [event, outcome, operations.length])).toEqual([
      ["apply", "applied", 1],
      ["state", "synced", 0],
      ["apply", "applied", 1],
    ]);
    expect(stage.events.map(({ event }) => event).filter((event) => event.startsWith("apply"))).toEqual([
      "apply-started",
      "apply-ended",
      "apply-started",
      "apply-ended",
    ]);
  });

  it("heals a change by hand when the policy allows it, and waits when it does not", async () => {
    const stage = await appliedStage();
    stage.service.byHand("PATCH", `${collection}/${idOf(stage)}`, { description: "by hand" });
    await stage.pass();
    expect(descriptions(stage)).toEqual(["Back soon"]);
    expect((await stage.recordOf("shop")).memory.restored).toHaveProperty([
      "HTTPResponseBackend/sorry spec.description",
    ]);

    stage.service.byHand("PATCH", `${collection}/${idOf(stage)}`, { status_code: 500 });
    stage.service.requests.length = 0;
    await stage.pass();
    const { status } = await stage.recordOf("shop");
    expect(status).toMatchObject({ state: "waiting", reason: "approval", changes: { commit: 0, drift: 1, both: 0 } });
    expect(stage.service.writes).toEqual([]);
    const plan = await stage.store.readPlan("shop");
    expect(plan?.changes).toMatchObject([{ address: "HTTPResponseBackend/sorry", origin: "drift" }]);
    expect(plan?.hash).toBe(plan === null ? null : hashPlan(plan));
    // `since` stays while nothing about the state changes.
    await stage.pass();
    expect((await stage.recordOf("shop")).status.since).toBe(status.since);
  });

  it("tells what is on its way before it is written, and nothing when nothing may be", async () => {
    const stage = await appliedStage();
    stage.commit({ "shop/m/a.yaml": backend("sorry", "Back later") });
    const told: unknown[] = [];
    const onPending = (stack: string, { changes, impact }: PendingStatus): void =>
      void told.push({ stack, changes, impact, writes: stage.service.writes.length });
    await stage.pass({ deps: { onPending, paused: true } });
    expect(told).toEqual([]);
    await stage.pass({ deps: { onPending } });
    expect(told).toEqual([{ stack: "shop", changes: { commit: 1, drift: 0, both: 0 }, impact: "cosmetic", writes: 0 }]);
  });

  it("applies the part that is allowed, and goes on waiting for the rest", async () => {
    const stage = await appliedStage();
    stage.service.byHand("PATCH", `${collection}/${idOf(stage)}`, { status_code: 500 });
    stage.commit({ "shop/m/b.yaml": backend("second", "New") });
    await stage.pass();
    expect(await stage.stateOf("shop")).toBe("waiting: approval");
    expect(descriptions(stage)).toEqual(["Back soon", "New"]);
    expect(stage.service.writes).toEqual([`POST ${collection}`]);
    const { memory, status } = await stage.recordOf("shop");
    expect(status.appliedCommit).not.toBe(status.commit);
    expect(Object.keys(memory.synced).toSorted()).toEqual(["HTTPResponseBackend/second", "HTTPResponseBackend/sorry"]);
  });

  it("says where manifests and configurations are wrong, and leaves the last good state live", async () => {
    const stage = await appliedStage();
    const looked = (await stage.recordOf("shop")).status.lookedAt;
    stage.commit({
      "shop/m/a.yaml":
        "apiVersion: edgewise/v1\nkind: HTTPResponseBackend\nmetadata: {name: sorry}\nspec:\n  statuscode: 3\n",
    });
    await stage.pass();
    const { memory, status } = await stage.recordOf("shop");
    expect(status).toMatchObject({ state: "failed", lookedAt: looked });
    expect(status.message).toMatch(/^shop\/m\/a\.yaml:5:3: /);
    expect(memory.failures).toBe(1);
    stage.commit({ "shop/edgewise.yaml": "apiVersion: edgewise/v1\nkind: Config\nmanifest: []\n" });
    await stage.pass();
    expect((await stage.recordOf("shop")).status.message).toContain("shop/edgewise.yaml:3:1: ");
    stage.commit({ "shop/edgewise.yaml": null });
    await stage.pass();
    expect((await stage.recordOf("shop")).status.message).toContain("holds no configuration shop/edgewise.yaml");
    expect(stage.service.writes).toEqual([]);
  });

  it("serves the looks of all stacks with one listing", async () => {
    const stage = new Stage();
    for (const name of ["a", "b", "c"]) stage.add(name, { "a.yaml": backend(`page-${name}`, name) });
    await stage.pass();
    expect(descriptions(stage)).toEqual(["a", "b", "c"]);
    stage.service.requests.length = 0;
    // At rest, and with a change in one of them that only waits.
    await stage.pass();
    const listing = stage.service.requests.length;
    expect(new Set(stage.service.requests.map(({ path }) => path)).size).toBe(listing);
    stage.service.byHand("PATCH", `${collection}/${idOf(stage)}`, { status_code: 500 });
    stage.service.requests.length = 0;
    await stage.pass();
    expect(stage.service.requests).toHaveLength(listing);
    expect(await Promise.all(["a", "b", "c"].map((name) => stage.stateOf(name)))).toContain("waiting: approval");
  });

  it("writes by lists that were begun after its last write, and never by those of the looks", async () => {
    const stage = new Stage();
    for (const name of ["a", "b"]) stage.add(name, { "a.yaml": backend(`page-${name}`, name) });
    await stage.pass();
    const order = stage.service.requests
      .filter(({ method, path }) => method !== "GET" || path === collection)
      .map(({ method }) => method);
    // Looks; then for each stack a list before its write and one after it. The second one's first is the first one's last.
    expect(order).toEqual(["GET", "GET", "POST", "GET", "POST", "GET"]);
  });

  it("waits for lists that lag behind its writes, and makes nothing twice", async () => {
    const stage = new Stage();
    stage.add("shop", { "a.yaml": backend("sorry", "Back soon") });
    stage.service.lagMs = 4000;
    await stage.pass();
    expect(await stage.stateOf("shop")).toBe("synced");
    expect(stage.service.writes).toEqual([`POST ${collection}`]);
  });

  it("fails with the service's words when it refuses a write, knows what is done, and goes on from there", async () => {
    const stage = new Stage();
    stage.add("shop", { "a.yaml": backend("first", "One"), "b.yaml": backend("second", "Two") });
    stage.service.trouble = ({ body }) =>
      body?.includes("Two") === true ? { status: 400, message: "not today" } : null;
    await stage.pass();
    const { memory, status } = await stage.recordOf("shop");
    expect(status).toMatchObject({ state: "failed", appliedCommit: null });
    expect(status.message).toContain("HTTPResponseBackend/second failed: ");
    expect(status.message).toContain("not today");
    expect(Object.keys(memory.synced)).toEqual(["HTTPResponseBackend/first"]);
    expect(stage.store.history.map(({ event, outcome }) => `${event} ${outcome}`)).toContain("apply partial");
    stage.service.trouble = () => null;
    await stage.pass();
    expect(await stage.stateOf("shop")).toBe("synced");
    expect(descriptions(stage)).toEqual(["One", "Two"]);
  });

  it.each([500, 403, 429])(
    "fails every due stack when lists answer %i, and writes nothing in the dark",
    async (status) => {
      const stage = await appliedStage();
      stage.add("other", { "a.yaml": backend("other", "Other") });
      stage.service.trouble = ({ method }) => (method === "GET" ? { status, message: "closed today" } : null);
      const { account } = await stage.pass();
      for (const name of ["shop", "other"]) {
        expect(await stage.stateOf(name)).toBe("failed");
        const { message } = (await stage.recordOf(name)).status;
        expect(message).toContain("closed today");
        expect(message).not.toMatch(/EDGEWISE_API_KEY|api\.requestsPerMinute|--/);
      }
      expect(account.blindSince).not.toBeNull();
      expect(stage.service.writes).toEqual([]);
    },
  );

  it("writes to no further stack once lists can't be read between two writes", async () => {
    const stage = new Stage();
    for (const name of ["a", "b", "c"]) stage.add(name, { "a.yaml": backend(`page-${name}`, name) });
    let broken = false;
    stage.service.onRequest = ({ method }) => (broken ||= method === "POST");
    stage.service.trouble = ({ method }) => (broken && method === "GET" ? { status: 500 } : null);
    const { account } = await stage.pass();
    expect(stage.service.writes).toEqual([`POST ${collection}`]);
    expect(account.blindSince).not.toBeNull();
    expect(await stage.stateOf("a")).toBe("failed");
    expect(await stage.stateOf("b")).toBe("pending");
    expect((await stage.recordOf("b")).status.message).toContain("live can't be read any more");
  });

  it("says when the key can't be read", async () => {
    const stage = await appliedStage();
    const connect = async (): Promise<never> => {
      throw new EdgewiseError("config", "/run/secrets/main can't be read");
    };
    const { account } = await stage.pass({ deps: { connect } });
    expect((await stage.recordOf("shop")).status).toMatchObject({
      state: "failed",
      message: "/run/secrets/main can't be read",
    });
    expect(account.blindSince).not.toBeNull();
  });

  it("saves what it deletes and puts back before the first request", async () => {
    const stage = await appliedStage();
    stage.add("big", Object.fromEntries(["a", "b"].map((name) => [`${name}.yaml`, backend(name, name)])));
    await stage.pass();
    stage.commit({ "big/m/b.yaml": null });
    const order: string[] = [];
    stage.store.onWrite = (what, value) => {
      if (what === "stack") order.push(`saved ${JSON.stringify(value).includes('"deletes":[]') ? "none" : "delete"}`);
    };
    stage.service.onRequest = ({ method }) => {
      if (method !== "GET") order.push(method);
    };
    const onRemembered = (stack: string, { writing }: StackMemory): void =>
      void order.push(`${stack} ${writing ? "is being written" : "is not"}`);
    await stage.pass({ deps: { onRemembered } });
    expect(order.slice(0, 3)).toEqual(["big is being written", "saved delete", "DELETE"]);
    expect((await stage.recordOf("big")).memory.deletes).toHaveLength(1);
  });

  it("saves that a stack wants a heal before it heals: a process that is killed over and over is braked, too", async () => {
    const stage = await appliedStage();
    stage.service.byHand("PATCH", `${collection}/${idOf(stage)}`, { description: "by hand" });
    await stage.unsaved();
    expect(descriptions(stage)).toEqual(["Back soon"]);
    expect((await stage.store.load()).accounts.get("main")?.heals).toHaveProperty("shop");
  });

  it("writes nothing when what it is about to do can't be recorded", async () => {
    const stage = await appliedStage();
    stage.commit({ "shop/m/a.yaml": backend("sorry", "Back later") });
    stage.store.onWrite = (what) => {
      if (what === "stack") throw new Error("disk full");
    };
    await stage.unsaved();
    expect(stage.service.writes).toEqual([]);
  });
});

describe("what never writes", () => {
  const cases: readonly [string, Parameters<Stage["pass"]>[0], string][] = [
    ["a dry run", { deps: { dryRun: true } }, "pending"],
    ["a pause", { deps: { paused: true } }, "waiting: paused"],
    [
      "a tip that was rewound",
      { due: { unfollowed: { rewound: true, message: "the tip was rewound" } } },
      "waiting: rewound",
    ],
    [
      "a source that can't be read",
      { due: { unfollowed: { rewound: false, unreachable: true, message: "no route to host" } } },
      "failed",
    ],
    [
      "no commit at all",
      { due: { commit: null, unfollowed: { rewound: false, message: "there is no main" } } },
      "failed",
    ],
  ];
  it.each(cases)("looks all the same: %s", async (_what, changes, state) => {
    const stage = await appliedStage();
    stage.commit({ "shop/m/a.yaml": backend("sorry", "Back later") });
    await stage.pass(changes);
    expect(await stage.stateOf("shop")).toBe(state);
    expect(stage.service.writes).toEqual([]);
    await stage.pass();
    expect(descriptions(stage)).toEqual(["Back later"]);
  });

  it("is a brake", async () => {
    const stage = await appliedStage();
    stage.commit({ "shop/m/a.yaml": backend("sorry", "Back later") });
    const brake = {
      id: "b1",
      cause: "stacks" as const,
      message: "too many",
      since: stage.clock.now(),
      lastSeen: stage.clock.now(),
      quietMs: 600_000,
    };
    stage.accountRecord = { ...stage.accountRecord, brake };
    await stage.pass();
    expect(await stage.stateOf("shop")).toBe("waiting: brake");
    expect(stage.service.writes).toEqual([]);
  });

  it("is a look at lists that suddenly lack much, spread over stacks that lack little each", async () => {
    const stage = new Stage();
    const brake = { ...policy.brake, stacks: { percent: 50 } };
    for (let at = 0; at < 12; at++) {
      const apply = { commit: "routing", drift: "routing" } as const;
      stage.add(`s${at}`, { "a.yaml": backend("sorry", "Back soon") }, { policy: { brake, apply } });
    }
    await stage.pass();
    expect(stage.accountRecord.listed).toMatchObject({ HTTPResponseBackend: 12 });
    const ids = stage.service.lists().HTTPResponseBackend.map(({ id }) => String(id));
    for (const id of ids.slice(0, 4)) stage.service.byHand("DELETE", `${collection}/${id}`);
    stage.service.requests.length = 0;
    await stage.clock.sleep(600_000);
    await stage.pass();
    expect(stage.service.writes).toEqual([]);
    await stage.clock.sleep(600_000);
    await stage.pass();
    expect(stage.service.writes).toHaveLength(4);
    expect(stage.accountRecord.listed).toMatchObject({ HTTPResponseBackend: 12 });
  });

  it("is a state that another process has", async () => {
    const stage = await appliedStage();
    stage.commit({ "shop/m/a.yaml": backend("sorry", "Back later") });
    Object.assign(stage.store, {
      assertHeld: () => {
        throw new EdgewiseError("locked", "process 7 has the state by now");
      },
    });
    await stage.pass();
    expect(stage.service.writes).toEqual([]);
    expect((await stage.recordOf("shop")).status.message).toContain("process 7 has the state by now");
  });
});

describe("a resource that no list shows any more", () => {
  /** A stack with two resources, of which one was deleted by hand. */
  async function deletedStage(): Promise<{ readonly stage: Stage; readonly path: string }> {
    const stage = new Stage();
    const apply = { commit: "routing", drift: "routing" } as const;
    const manifests = { "a.yaml": backend("sorry", "Back soon"), "b.yaml": backend("other", "Other") };
    stage.add("shop", manifests, { policy: { apply } });
    await stage.pass();
    const path = `${collection}/${idOf(stage)}`;
    expect(Object.values((await stage.recordOf("shop")).memory.ids ?? {}).map((id) => `${collection}/${id}`)).toContain(
      path,
    );
    stage.service.requests.length = 0;
    await stage.pass();
    expect(stage.service.requests.some((one) => one.path.startsWith(`${collection}/`))).toBe(false);
    stage.service.byHand("DELETE", path);
    stage.service.requests.length = 0;
    return { stage, path };
  }

  it.each([null, 410])("is made at once when the service says that it is gone (%s)", async (status) => {
    const { path, stage } = await deletedStage();
    if (status !== null) stage.service.trouble = (request) => (request.path === path ? { status } : null);
    await stage.pass();
    expect(await stage.stateOf("shop")).toBe("synced");
    expect(stage.service.writes).toEqual([`POST ${collection}`]);
    expect(stage.service.requests.filter((request) => request.path === path)).toHaveLength(1);
    const { ids = {} } = (await stage.recordOf("shop")).memory;
    const live = stage.service.lists().HTTPResponseBackend.map(({ id }) => String(id));
    expect(Object.values(ids).toSorted()).toEqual(live.toSorted());
  });

  it("is known by its id as soon as it is made, also when no list shows it afterwards", async () => {
    const stage = new Stage();
    stage.add("shop", { "a.yaml": backend("sorry", "Back soon") });
    let made = false;
    stage.service.trouble = ({ method }) => {
      made ||= method === "POST";
      return made && method === "GET" ? { status: 500 } : null;
    };
    await stage.pass();
    expect(stage.service.writes).toEqual([`POST ${collection}`]);
    expect(Object.values((await stage.recordOf("shop")).memory.ids ?? {})).toEqual([idOf(stage)]);
  });

  it.each([403, 500, 501])("is not made while the service does not say whether it is gone (%i)", async (status) => {
    const { path, stage } = await deletedStage();
    stage.service.trouble = (request) => (request.path === path ? { status, message: "not now" } : null);
    await stage.pass();
    expect(stage.service.writes).toEqual([]);
    const { message, state } = (await stage.recordOf("shop")).status;
    expect(state).toBe("failed");
    expect(message).toMatch(/is in no list any more, and whether it is gone can't be told.*not now/u);
    stage.service.trouble = () => null;
    await stage.pass();
    expect(await stage.stateOf("shop")).toBe("synced");
    expect(stage.service.writes).toEqual([`POST ${collection}`]);
  });
});

describe("the account's API lock", () => {
  it("is taken before the write and removed after it, when the configuration wants it", async () => {
    const stage = new Stage();
    stage.add("shop", { "a.yaml": backend("sorry", "Back soon") }, { config: "lock: true\n" });
    await stage.pass();
    expect(await stage.stateOf("shop")).toBe("synced");
    expect(stage.service.writes.map((write) => write.split(" ")[0])).toEqual(["POST", "POST", "DELETE"]);
    expect(descriptions(stage)).toEqual(["Back soon"]);
  });

  it("makes the stack wait while another run has it", async () => {
    const stage = new Stage();
    const until = new Date(stage.clock.now() + 3_600_000).toISOString();
    const lock = lockBody({ stack: "other", run: "run-1", by: "somebody", until });
    stage.service.byHand("POST", collection, JSON.parse(JSON.stringify(lock)));
    stage.add("shop", { "a.yaml": backend("sorry", "Back soon") }, { config: "lock: true\n" });
    const began = stage.clock.now();
    await stage.pass();
    expect(await stage.stateOf("shop")).toBe("waiting: locked");
    // The other stacks of the account don't wait for it, too.
    expect(stage.clock.now() - began).toBeLessThan(1000);
    expect(stage.service.writes).toEqual([]);
    expect((await stage.recordOf("shop")).status.message).toContain("somebody");
    expect(descriptions(stage)).not.toContain("Back soon");
  });
});

describe("passes of one account", () => {
  it("wait for each other, so that nothing is made twice", async () => {
    const stage = new Stage();
    stage.add("shop", { "a.yaml": backend("sorry", "Back soon") });
    await Promise.all([stage.unsaved(), stage.unsaved(), stage.unsaved()]);
    expect(stage.service.writes).toEqual([`POST ${collection}`]);
  });

  it("begin no other write after one that took long, so that nobody waits unseen for a slow stack", async () => {
    const stage = new Stage();
    for (const name of ["a", "b", "c"]) stage.add(name, { "a.yaml": backend(`page-${name}`, name) });
    const posted: string[] = [];
    stage.service.onRequest = ({ method }) => {
      if (method !== "POST") return;
      posted.push(method);
      stage.clock.shift(61_000);
    };
    const stacks = (): Promise<readonly string[]> => Promise.all(["a", "b", "c"].map((name) => stage.stateOf(name)));
    await stage.pass({ input: { writingMs: 60_000 } });
    expect(posted).toHaveLength(1);
    expect(await stacks()).toEqual(["synced", "pending", "pending"]);
    const { message, nextLook } = (await stage.recordOf("b")).status;
    expect(message).toContain("looked at again first");
    expect(nextLook - stage.clock.now()).toBeLessThanOrEqual(1000);
    await stage.pass({ input: { writingMs: 60_000 } });
    expect(await stacks()).toEqual(["synced", "synced", "pending"]);
    // Without a limit, as `--once` has none, everything is written.
    stage.add("d", { "a.yaml": backend("page-d", "d") });
    await stage.pass();
    expect([await stacks(), await stage.stateOf("d")]).toEqual([["synced", "synced", "synced"], "synced"]);
  });

  it("begin nothing new after a stop, and end what runs", async () => {
    const stage = new Stage();
    for (const name of ["a", "b"]) stage.add(name, { "a.yaml": backend(`page-${name}`, name) });
    const stop = new AbortController();
    stage.service.onRequest = ({ method }) => {
      if (method === "POST") stop.abort();
    };
    const { stacks } = await stage.pass({ deps: { stop: stop.signal } });
    expect(stage.service.writes).toHaveLength(1);
    expect(stacks.map(({ record }) => record.status.state)).toEqual(["failed", "pending"].map(() => "pending"));
    await stage.pass();
    expect(descriptions(stage)).toEqual(["a", "b"]);
  });
});
