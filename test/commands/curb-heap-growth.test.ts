import { spawnSync } from "node:child_process";
import { afterEach, describe, expect, it, vi } from "vitest";
import { curbHeapGrowth, curbHeapNow } from "../../src/commands/support/curb-heap.ts";

const mebibyte = 1024 * 1024;

/** A heap with a number of MiB in use at each look. */
function fakeHeap(...used: readonly number[]) {
  const flags: string[] = [];
  let looks = 0;
  return {
    version: "13.6.233.17-node.28",
    flags,
    looks: () => looks,
    used: () => (used[Math.min(looks++, used.length - 1)] ?? 0) * mebibyte,
    setFlags: (flag: string) => void flags.push(flag),
  };
}

describe("the growth of the heap", () => {
  afterEach(() => void vi.useRealTimers());

  it("is curbed once when much is in use", () => {
    vi.useFakeTimers();
    const heap = fakeHeap(20, 90, 300, 400);
    curbHeapGrowth(["plan", "-o", "json"], heap);
    vi.advanceTimersByTime(250);
    expect(heap.flags).toEqual([]);
    vi.advanceTimersByTime(1000);
    expect(heap.flags).toEqual([expect.stringMatching(/^--heap-growing-percent=\d+$/), "--no-incremental-marking"]);
    expect(heap.looks()).toBe(3);
  });

  it("is left to V8 in small runs, and in commands that run on and on", () => {
    vi.useFakeTimers();
    const small = fakeHeap(20, 100, 60);
    curbHeapGrowth(["validate"], small);
    const service = fakeHeap(900);
    curbHeapGrowth(["-q", "serve", "fleet.yaml"], service);
    vi.advanceTimersByTime(10_000);
    expect(small.looks()).toBeGreaterThan(10);
    expect([small.flags, service.flags, service.looks()]).toEqual([[], [], 0]);
  });

  it("is left to versions of V8 whose flags are not known", () => {
    vi.useFakeTimers();
    const heaps = ["10.2.154.26", "15.0.1", "110.1"].map((version) => ({ ...fakeHeap(900), version }));
    for (const heap of heaps) curbHeapGrowth(["plan"], heap);
    vi.advanceTimersByTime(1000);
    expect(heaps.map(({ flags, looks }) => [flags, looks()])).toEqual(heaps.map(() => [[], 0]));
  });

  it("is curbed at once for a command that knows that much is coming", () => {
    const [known, unknown] = [fakeHeap(1), { ...fakeHeap(1), version: "15.0.1" }];
    curbHeapNow(known);
    curbHeapNow(unknown);
    expect([known.flags.length, unknown.flags]).toEqual([2, []]);
  });

  it("is curbed by flags that this V8 knows", () => {
    // V8 writes to stderr for any other.
    const set = `require("node:v8").setFlagsFromString`;
    const { stderr } = spawnSync(process.execPath, [
      "-e",
      `${set}("--heap-growing-percent=15"); ${set}("--no-incremental-marking")`,
    ]);
    expect(stderr.toString()).toBe("");
  });
});
