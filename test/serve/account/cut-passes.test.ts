import { describe, expect, it } from "vitest";
import type { StackMemory, StackRecord } from "../../../src/serve/records.ts";
import { Stage, backend } from "./support/stage.ts";

/** A fleet in which everything happens: creates, updates, a delete, and a stack that only waits. */
async function busyStage(): Promise<Stage> {
  const stage = new Stage();
  const heals = { apply: { commit: "security", drift: "security" } } as const;
  stage.add("a", { "one.yaml": backend("a-one", "One"), "two.yaml": backend("a-two", "Two") }, { policy: heals });
  stage.add("b", { "one.yaml": backend("b-one", "One"), "two.yaml": backend("b-two", "Two") }, { policy: heals });
  await stage.pass();
  stage.commit({
    "a/m/one.yaml": backend("a-one", "One again"),
    "a/m/two.yaml": null,
    "a/m/new.yaml": backend("a-new", "New"),
  });
  stage.commit({ "b/m/new.yaml": backend("b-new", "New") });
  const id = stage.service.lists().HTTPResponseBackend.find(({ metadata }) => String(metadata).includes("b-one"))?.[
    "id"
  ];
  stage.service.byHand("PATCH", `/backends/http_response/${String(id)}`, { description: "by hand" });
  stage.service.requests.length = 0;
  return stage;
}

const wanted = ["New", "New", "One", "One again", "Two"];

function shown(stage: Stage): readonly string[] {
  return stage.service
    .lists()
    .HTTPResponseBackend.map(({ description }) => String(description))
    .toSorted();
}

describe("a pass that is cut off", () => {
  it("is finished by the next one wherever it is cut, and nothing is done twice", async () => {
    const whole = await busyStage();
    await whole.pass();
    expect(shown(whole)).toEqual(wanted);
    const { length } = whole.service.requests;
    const writes = whole.service.writes.toSorted();
    expect(length).toBeGreaterThan(20);
    for (let cut = 0; cut < length; cut += 2) {
      for (const lost of ["before", "after"] as const) {
        const stage = await busyStage();
        const hard = new AbortController();
        stage.service.trouble = (_request, index) => (index === cut ? { lost } : null);
        stage.service.onRequest = (_request, index) => {
          if (index === cut) hard.abort();
        };
        // As kill -9 does: nothing of the outcome is saved.
        await stage.unsaved({ deps: { hardStop: hard.signal } });
        stage.service.trouble = () => null;
        stage.service.onRequest = () => undefined;
        // Another process takes over: it remembers nothing but what was saved.
        const next = Object.assign(new Stage(), { clock: stage.clock, service: stage.service, sources: stage.sources });
        Object.assign(next, { store: stage.store, stacks: stage.stacks, accountRecord: stage.accountRecord });
        await next.pass();
        expect([cut, lost, shown(next)]).toEqual([cut, lost, wanted]);
        expect([cut, lost, await next.stateOf("a"), await next.stateOf("b")]).toEqual([cut, lost, "synced", "synced"]);
        // Each create and delete once; an update whose answer was lost may be sent again.
        const once = (all: readonly string[]): readonly string[] =>
          all.filter((write) => !write.startsWith("PATCH")).toSorted();
        const repeated = lost === "before" ? 1 : 0;
        expect(once(next.service.writes).length - once(writes).length).toBeLessThanOrEqual(repeated);
      }
    }
  });

  it("leaves a mark that it wrote, and tells what it knows of the writes", async () => {
    const stage = await busyStage();
    const hard = new AbortController();
    let marked: unknown = "nothing was written";
    let kept: StackMemory | undefined;
    stage.store.onWrite = (what, value) => {
      if (what === "stack" && (value as StackRecord).name === "a") kept = (value as StackRecord).memory;
    };
    stage.service.onRequest = ({ method }) => {
      if (method === "GET" || hard.signal.aborted) return;
      marked = kept?.writing;
      hard.abort();
    };
    stage.service.trouble = ({ method }) => (method === "GET" ? null : { lost: "after" });
    const { stacks } = await stage.pass({ deps: { hardStop: hard.signal } });
    expect(marked).toMatchObject({ since: expect.any(Number) });
    const [cut] = stacks;
    expect(cut?.record.memory.writing).toEqual(marked);
    expect(cut?.history.map(({ event }) => event)).toContain("apply");
    expect(cut?.history[0]?.operations.map(({ status }) => status)).toContain("unknown");
    stage.service.onRequest = () => undefined;
    stage.service.trouble = () => null;
    const { length } = stage.service.writes;
    const quietUntil = stage.clock.now() + 40_000;
    for (const { record } of (await stage.pass({ input: { quietUntil } })).stacks) {
      expect(record.status.state).toBe("pending");
      expect(record.status.message).toContain("a pass was cut off while it wrote to the account");
      expect(record.status.nextLook).toBe(quietUntil);
    }
    expect(stage.service.writes).toHaveLength(length);
    expect(kept?.writing).toEqual(marked);
    await stage.clock.sleep(40_000);
    await stage.pass({ input: { quietUntil } });
    expect(shown(stage)).toEqual(wanted);
    expect(kept?.writing).toBeNull();
  });

  it("leaves none when it was stopped after its writes, and all of them were answered", async () => {
    const stage = await busyStage();
    const soft = new AbortController();
    let wrote = false;
    stage.service.onRequest = ({ method }) => {
      // The first list that is read to verify.
      if (method === "GET" && wrote) soft.abort();
      wrote ||= method !== "GET";
    };
    const { stacks } = await stage.pass({ deps: { stop: soft.signal } });
    expect(soft.signal.aborted).toBe(true);
    expect(wrote).toBe(true);
    for (const { record } of stacks) expect(record.memory.writing ?? null).toBeNull();
  });

  it("knows what a killed one made: a later commit may delete it unasked", async () => {
    const stage = await busyStage();
    const hard = new AbortController();
    stage.service.onRequest = ({ method }) => {
      if (method === "POST") hard.abort();
    };
    await stage.unsaved({ deps: { hardStop: hard.signal } });
    stage.service.onRequest = () => undefined;
    expect(shown(stage)).toContain("New");
    stage.commit({ "a/m/new.yaml": null, "b/m/new.yaml": null });
    await stage.pass();
    expect([await stage.stateOf("a"), await stage.stateOf("b")]).toEqual(["synced", "synced"]);
    expect(shown(stage)).toEqual(["One", "One again", "Two"]);
  });
});
