import { describe, expect, it } from "vitest";
import type { WaitReason } from "../../src/plan/plan-format.ts";
import { Bench, resultFor, statuses } from "./support/bench.ts";
import { create, patch, remove } from "./support/operations.ts";

const backend = "HTTPResponseBackend/hold";
const made = create("op-1", backend);

function refusing(status: number, times: number, reason: WaitReason = "use") {
  const bench = new Bench();
  bench.service.fault = ({ method }, before) =>
    method === "PATCH" && before < times ? { refuse: status, message: "not there yet" } : "ok";
  const operations = [made, patch("op-2", "a", { description: "x" }, { waits: { "op-1": reason } })];
  const patches = (): number => bench.service.log.filter((line) => line.startsWith("PATCH")).length;
  return { bench, operations, patches };
}

describe("a refusal of what uses or takes something of this run", () => {
  it.each([
    [400, "use"],
    [409, "free"],
  ] as const)("with %i (%s) is retried", async (status, reason) => {
    const { bench, operations, patches } = refusing(status, 3, reason);
    const report = await bench.apply(operations);
    expect(report.outcome).toBe("applied");
    expect(patches()).toBe(4);
    const waits = bench.events.flatMap((event) => (event.event === "waiting" ? [event.milliseconds] : []));
    expect(waits).toEqual([375, 750, 1500]);
  });

  it("is retried for 30 s and no longer", async () => {
    const { bench, operations, patches } = refusing(400, 1000);
    const report = await bench.apply(operations);
    expect(statuses(report)).toEqual({ "op-1": "done", "op-2": "failed" });
    expect(bench.clock.elapsed).toBeLessThanOrEqual(30_100);
    expect(bench.clock.elapsed).toBeGreaterThan(20_000);
    expect(patches()).toBeGreaterThan(5);
  });

  it.each([401, 403, 405, 413, 422])("with %i is final", async (status) => {
    const { bench, operations, patches } = refusing(status, 1);
    expect(statuses(await bench.apply(operations))).toEqual({ "op-1": "done", "op-2": "failed" });
    expect(patches()).toBe(1);
  });

  it("is retried twice even when the run came to it late", async () => {
    const { bench, patches } = refusing(400, 2);
    bench.service.latency = ({ path }) => (path.endsWith("_slow") ? 60_000 : 10);
    const report = await bench.apply([
      made,
      remove("op-2", "slow"),
      patch("op-3", "a", {}, { waits: { "op-1": "use", "op-2": "last" } }),
    ]);
    expect([report.outcome, patches()]).toEqual(["applied", 3]);
  });
});

it("a refusal of what uses nothing of this run is final", async () => {
  const { bench, operations, patches } = refusing(400, 1, "unuse");
  expect(statuses(await bench.apply(operations))).toEqual({ "op-1": "done", "op-2": "failed" });
  expect(patches()).toBe(1);
});

it("a change that was lost before it was refused may have been done, and is repeated all the same", async () => {
  const bench = new Bench();
  bench.service.fault = ({ method }, before) =>
    method !== "PATCH" ? "ok" : before === 0 ? { lost: "done", status: 400 } : { refuse: 403 };
  const report = await bench.apply([made, patch("op-2", "a", { description: "x" }, { waits: { "op-1": "use" } })]);
  expect(resultFor(report, "op-2")).toMatchObject({ status: "unknown", httpStatus: 403 });
  expect(report.outcome).toBe("partial");
});
