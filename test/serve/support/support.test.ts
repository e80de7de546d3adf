import { describe, expect, it } from "vitest";
import type { FleetSource } from "../../../src/serve/fleet/fleet.ts";
import { MemorySources } from "./memory-sources.ts";
import { MemoryStore } from "./memory-store.ts";
import { SimulatedClock } from "./simulated-clock.ts";

const source: FleetSource = {
  name: "edge",
  git: "/git/edge",
  ref: "main",
  pin: null,
  accept: [],
  pollMs: 60_000,
  credentials: null,
  signedBy: null,
  hook: null,
  place: { file: "fleet.yaml", line: 1, column: 1 },
};
const { signal } = new AbortController();

describe("the simulated clock", () => {
  it("wakes in order, whatever the clock on the wall is set to", async () => {
    const clock = new SimulatedClock(1_000_000);
    const woken: string[] = [];
    const sleep = async (name: string, ms: number): Promise<void> => {
      await clock.sleep(ms);
      woken.push(`${name} ${clock.now()}`);
    };
    const all = [sleep("b", 2000), sleep("a", 1000), sleep("c", 3000)];
    clock.shift(-500_000);
    await Promise.all(all);
    expect(woken).toEqual(["a 501000", "b 502000", "c 503000"]);
    expect(clock.elapsed).toBe(3000);
  });

  it("ends a sleep when the signal aborts", async () => {
    const clock = new SimulatedClock();
    const stop = new AbortController();
    const slept = clock.sleep(60_000, stop.signal);
    stop.abort();
    await slept;
    expect(clock.elapsed).toBe(0);
  });
});

describe("sources in memory", () => {
  it("follows a push, and not a rewound tip unless it is accepted or pinned", async () => {
    const sources = new MemorySources(() => 5);
    const first = sources.push("edge", { "a/edgewise.yaml": "x" });
    const one = await sources.fetch(source, null, signal);
    expect(one).toEqual({ name: "edge", followed: first, tip: first, fetchedAt: 5, problem: null });
    const second = sources.edit("edge", { "b/edgewise.yaml": "y" });
    const two = await sources.fetch(source, one, signal);
    expect(two.followed).toBe(second);
    const third = sources.rewind("edge", { "c/edgewise.yaml": "z" });
    const three = await sources.fetch(source, two, signal);
    expect(three).toMatchObject({ followed: second, tip: third, problem: { code: "rewound" } });
    expect((await sources.fetch({ ...source, accept: [third] }, three, signal)).followed).toBe(third);
    expect((await sources.fetch({ ...source, pin: first }, three, signal)).followed).toBe(first);
    sources.break("edge", "no route");
    expect(await sources.fetch(source, two, signal)).toMatchObject({
      followed: second,
      problem: { code: "unreachable" },
    });
  });

  it("gives a directory another id when a file below it changes, and only then", async () => {
    const sources = new MemorySources(() => 5);
    const before = await sources.open(source, sources.push("edge", { "a/edgewise.yaml": "x", "b/edgewise.yaml": "y" }));
    const after = await sources.open(source, sources.edit("edge", { "b/more.yaml": "z" }));
    const [old, now] = [await before.directoryIds(["a", "b", "c"]), await after.directoryIds(["a", "b", "c"])];
    expect(now.get("a")).toEqual(old.get("a"));
    expect(now.get("b")).not.toEqual(old.get("b"));
    expect(now.get("c")).toBeNull();
    expect(await after.findConfigs("*/edgewise.yaml")).toEqual([
      { path: "a/edgewise.yaml", match: "a" },
      { path: "b/edgewise.yaml", match: "b" },
    ]);
    const tree = await after.tree("b", null);
    expect((await tree.list("")).map(({ path }) => path)).toEqual(["edgewise.yaml", "more.yaml"]);
    expect(Buffer.from(await tree.read("more.yaml")).toString()).toBe("z");
  });
});

describe("a store in memory", () => {
  it("gives back what was kept, and shares no objects", async () => {
    const store = new MemoryStore();
    const record = { name: "edge", followed: null, tip: null, fetchedAt: null, problem: null };
    await store.saveSource(record);
    const { sources } = await store.load();
    expect(sources.get("edge")).toEqual(record);
    expect(sources.get("edge")).not.toBe(record);
    store.usable = false;
    await expect(store.saveSource(record)).rejects.toThrow("can't be written");
  });
});
