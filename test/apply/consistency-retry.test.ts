import { describe, expect, it } from "vitest";
import type { WaitReason } from "../../src/plan/plan-format.ts";
import { Bench, resultFor, statuses } from "./support/bench.ts";
import { create, patch, remove } from "./support/operations.ts";

const backend = "HTTPResponseBackend/hold";
const made = create("op-1", backend);

/** A PATCH that waits for the create, and a bench on which its first tries are refused. */
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
    [404, "use"],
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

  it("does not hold the place of others while it waits", async () => {
    const { bench, operations } = refusing(400, 4);
    bench.deps = { ...bench.deps, concurrency: 1 };
    await bench.apply([...operations, ...["b", "c"].map((name) => create(name, `HTTPResponseBackend/${name}`))]);
    const [, first, ...others] = bench.service.log;
    expect(first).toMatch(/^PATCH/u);
    expect(others.slice(0, 2)).toEqual(["POST /backends/http_response", "POST /backends/http_response"]);
    expect(bench.service.mostInFlight).toBe(1);
  });

  it("of many that are simply wrong costs one such time, not one each", async () => {
    const bench = new Bench();
    bench.deps = { ...bench.deps, concurrency: 2 };
    bench.service.fault = ({ method }) => (method === "PATCH" ? { refuse: 400 } : "ok");
    const wrong = Array.from({ length: 100 }, (_, n) => patch(`p-${n}`, `e${n}`, {}, { waits: { "op-1": "use" } }));
    await bench.apply([made, ...wrong]);
    expect(bench.clock.elapsed).toBeLessThan(60_000);
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

  it("also when the operation changes what this run made", async () => {
    const { bench, operations, patches } = refusing(404, 2, "same");
    expect(statuses(await bench.apply(operations))).toEqual({ "op-1": "done", "op-2": "done" });
    expect(patches()).toBe(3);
  });

  it("also when the operation is a create", async () => {
    const bench = new Bench();
    bench.service.fault = ({ path }, before) => (path === "/edges/tls" && before < 2 ? { refuse: 400 } : "ok");
    const report = await bench.apply([made, create("op-2", "TLSEdge/a", {}, { waits: { "op-1": "use" } })]);
    expect(resultFor(report, "op-2")).toMatchObject({ status: "done", resourceId: "new_2" });
    expect(bench.service.lists).toBe(0);
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
