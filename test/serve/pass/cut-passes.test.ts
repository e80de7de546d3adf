import { describe, expect, it } from "vitest";
import type { StackMemory, StackRecord } from "../../../src/serve/records.ts";
import { Stage, backend, everything } from "../support/stage.ts";

async function busyStage(): Promise<Stage> {
  const stage = new Stage();
  stage.add("a", { "one.yaml": backend("a-one", "One"), "two.yaml": backend("a-two", "Two") }, everything);
  stage.add("b", { "one.yaml": backend("b-one", "One"), "two.yaml": backend("b-two", "Two") }, everything);
  await stage.pass();
  stage.commit({
    "a/m/one.yaml": backend("a-one", "One again"),
    "a/m/two.yaml": null,
    "a/m/new.yaml": backend("a-new", "New"),
    "b/m/new.yaml": backend("b-new", "New"),
  });
  stage.edit({ description: "by hand" }, "b-one");
  stage.service.requests.length = 0;
  return stage;
}

const wanted = ["New", "New", "One", "One again", "Two"];

describe("a pass that is cut off", () => {
  it("is finished by the next one wherever it is cut, and nothing is done twice", async () => {
    const whole = await busyStage();
    await whole.pass();
    expect(whole.live()).toEqual(wanted);
    const { length } = whole.service.requests;
    // Each create and delete once; an update whose answer was lost may be sent again.
    const once = ({ service }: Stage): number => service.writes.filter((write) => !write.startsWith("PATCH")).length;
    expect(length).toBeGreaterThan(20);
    for (let cut = 0; cut < length; cut += 4) {
      for (const lost of ["before", "after"] as const) {
        const stage = await busyStage();
        const hardStop = new AbortController();
        stage.service.trouble = (_request, index) => (index === cut ? { lost } : null);
        stage.service.onRequest = (_request, index) => {
          if (index === cut) hardStop.abort();
        };
        await stage.killedPass({ hardStop: hardStop.signal });
        stage.service.trouble = () => null;
        stage.service.onRequest = () => undefined;
        await stage.pass();
        expect([cut, lost, stage.live()]).toEqual([cut, lost, wanted]);
        expect([cut, lost, await stage.states("a", "b")]).toEqual([cut, lost, ["synced", "synced"]]);
        expect(once(stage) - once(whole)).toBeLessThanOrEqual(lost === "before" ? 1 : 0);
      }
    }
  });

  it("leaves a mark that it wrote, so that nothing is written before its requests can't arrive any more", async () => {
    const stage = await busyStage();
    const hardStop = new AbortController();
    let marked: unknown = "nothing was written";
    let kept: StackMemory | undefined;
    stage.database.onWrite = (what, value) => {
      if (what === "stack" && (value as StackRecord).name === "a") kept = (value as StackRecord).memory;
    };
    stage.service.onRequest = ({ method }) => {
      if (method === "GET" || hardStop.signal.aborted) return;
      marked = kept?.writing;
      hardStop.abort();
    };
    stage.service.trouble = ({ method }) => (method === "GET" ? null : { lost: "after" });
    await stage.pass({ hardStop: hardStop.signal });
    expect(marked).toMatchObject({ since: expect.any(Number) });
    expect((await stage.memory("a")).writing).toEqual(marked);
    expect(stage.store.history.findLast(({ event }) => event === "apply")?.operations[0]).toMatchObject({
      status: "unknown",
    });
    stage.service.trouble = () => null;
    const { length } = stage.service.writes;
    await stage.restart();
    await stage.run(30_000);
    const { message, state } = await stage.status("a");
    expect([state, stage.service.writes.length]).toEqual(["pending", length]);
    expect(message).toContain("a pass was cut off while it wrote to the account");
    await stage.run(60_000);
    expect(stage.live()).toEqual(wanted);
    expect(kept?.writing).toBeNull();
  });

  it("leaves none when it was stopped after its writes, and all of them were answered", async () => {
    const stage = await busyStage();
    const stop = new AbortController();
    let wrote = false;
    stage.service.onRequest = ({ method }) => {
      if (method === "GET" && wrote) stop.abort();
      wrote ||= method !== "GET";
    };
    await stage.pass({ stop: stop.signal });
    expect([stop.signal.aborted, wrote]).toEqual([true, true]);
    for (const name of ["a", "b"]) expect((await stage.memory(name)).writing ?? null).toBeNull();
  });

  it("leaves what a killed one made to people, when no pass saw it before a later commit drops it", async () => {
    const stage = await busyStage();
    const hardStop = new AbortController();
    stage.service.onRequest = ({ method }) => {
      if (method === "POST") hardStop.abort();
    };
    await stage.killedPass({ hardStop: hardStop.signal });
    stage.service.onRequest = () => undefined;
    expect(stage.live()).toContain("New");
    stage.commit({ "a/m/new.yaml": null, "b/m/new.yaml": null });
    await stage.pass();
    expect((await stage.states("a", "b")).toSorted()).toEqual(["synced", "waiting: approval"]);
    expect(stage.live()).toEqual(["New", "One", "One again", "Two"]);
  });
});
