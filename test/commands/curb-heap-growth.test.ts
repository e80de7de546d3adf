import { afterEach, describe, expect, it, vi } from "vitest";
import { curbHeapGrowth } from "../../src/commands/support/process-io.ts";

const mebibyte = 1024 * 1024;

/** A heap with a number of MiB in use at each look. */
function fakeHeap(...used: readonly number[]) {
  const flags: string[] = [];
  let looks = 0;
  return {
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
    const heap = fakeHeap(20, 90, 200, 300);
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
});
