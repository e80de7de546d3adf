import { describe, expect, it } from "vitest";
import { onceExit, serveOnce } from "../../../src/serve/serve-once.ts";
import { stateOf } from "../../../src/serve/serve-state.ts";
import type { StackStatus } from "../../../src/serve/records.ts";
import { LoopStage, entryOf, fleetOf, looked } from "./loop-fixture.ts";

const files = { "prod/edgewise.yaml": "stack: prod\n", "test/edgewise.yaml": "stack: test\n" };
const both = fleetOf([entryOf("prod"), entryOf("test")]);

async function once(stage: LoopStage, prod: Partial<StackStatus> = {}, test: Partial<StackStatus> = {}) {
  stage.pass = async (input) => ({
    account: input.record,
    stacks: input.due.map(({ target }, index) => ({
      record: looked(input, index, stage.clock.now(), target.name === "prod" ? prod : test),
      history: [],
    })),
  });
  const state = stateOf(both, await stage.store.load(), stage.clock.now());
  await serveOnce(state, { stop: stage.stop.signal, hardStop: stage.hardStop.signal }, stage.deps);
  return { state, exit: onceExit(state, false) };
}

describe("one pass of everything", () => {
  it("looks at all stacks once, due or not, and saves them", async () => {
    const stage = new LoopStage();
    stage.sources.push("edge", files);
    await once(stage);
    const { exit } = await once(stage);
    expect(exit).toBe(0);
    expect(stage.taken()).toEqual(["prod", "test", "prod", "test"]);
    expect((await stage.store.load()).stacks.size).toBe(2);
  });

  it.each([
    [0, {}, {}],
    [2, { state: "waiting", reason: "approval" }, {}],
    [2, { state: "pending" }, {}],
    [4, { state: "refused" }, { state: "waiting", reason: "window" }],
    [3, { state: "failed" }, { state: "refused" }],
    [3, { state: "unknown" }, {}],
  ] as const)("ends with %i when the stacks are %j and %j", async (exit, prod, test) => {
    const stage = new LoopStage();
    stage.sources.push("edge", files);
    expect((await once(stage, prod, test)).exit).toBe(exit);
  });

  it("ends with 3 when a source can't be followed, and with 2 when its tip was rewound", async () => {
    const stage = new LoopStage();
    stage.sources.push("edge", files);
    expect((await once(stage)).exit).toBe(0);
    stage.sources.break("edge", "gone");
    expect((await once(stage)).exit).toBe(3);
    stage.sources.break("edge", null);
    stage.sources.rewind("edge", files);
    expect((await once(stage)).exit).toBe(2);
  });

  it("ends with 3 when nothing was ever fetched, and with 2 when a stack is orphaned", async () => {
    const stage = new LoopStage();
    stage.sources.break("edge", "gone");
    expect((await once(stage)).exit).toBe(3);
    stage.sources.break("edge", null);
    stage.sources.push("edge", files);
    await once(stage);
    stage.sources.edit("edge", { "test/edgewise.yaml": null });
    const { exit, state } = await once(stage);
    expect(state.stacks.get("test")?.status.state).toBe("orphaned");
    expect(exit).toBe(2);
  });

  it("begins nothing when it is stopped", async () => {
    const stage = new LoopStage();
    stage.sources.push("edge", files);
    stage.stop.abort();
    await once(stage);
    expect(stage.taken()).toEqual([]);
  });

  it("passes an account again when what a killed process sent to it can't arrive any more", async () => {
    const stage = new LoopStage();
    stage.sources.push("edge", files);
    await once(stage);
    const prod = (await stage.store.load()).stacks.get("prod");
    if (prod === undefined) throw new Error("it was not saved");
    await stage.store.saveStack({
      ...prod,
      memory: { ...prod.memory, writing: { since: stage.clock.now(), made: {} } },
    });
    stage.passes.splice(0);
    const start = stage.clock.now();
    const quiet: (number | undefined)[] = [];
    stage.pass = async (input) => {
      const now = stage.clock.now();
      quiet.push(input.quietUntil);
      const state = (input.quietUntil ?? 0) > now ? "pending" : "synced";
      const stacks = input.due.map((_, index) => ({
        record: looked(input, index, now, { state }),
        history: [],
      }));
      return { account: input.record, stacks };
    };
    const stored = await stage.store.load();
    const state = stateOf(both, stored, start);
    await serveOnce(state, { stop: stage.stop.signal, hardStop: stage.hardStop.signal }, stage.deps);
    expect(quiet).toEqual([start + 40_000, start + 40_000]);
    expect(stage.clock.now()).toBe(start + 40_000);
    expect(onceExit(state, false)).toBe(0);
  });
});
