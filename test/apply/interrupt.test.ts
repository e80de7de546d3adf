import { expect, it } from "vitest";
import { exitCodeOf, makeResult } from "../../src/apply/result.ts";
import { Bench, resultFor, statuses } from "./support/bench.ts";
import { problem } from "./support/fake-service.ts";
import { create, patch, planOf } from "./support/operations.ts";

const three = ["a", "b", "c"].map((name, n) => patch(`op-${n + 1}`, name, { description: name }));

it("a signal before the beginning: nothing is sent", async () => {
  const bench = new Bench();
  bench.soft.abort();
  const report = await bench.apply(three);
  expect(bench.service.log).toEqual([]);
  expect(report).toMatchObject({ outcome: "failed", interrupted: true });
  expect(resultFor(report, "op-1").error).toBe("skipped: interrupted");
  expect(exitCodeOf(makeResult(planOf(three), report, null))).toBe(130);
});

it("a signal in the middle: what is in flight finishes, the rest is skipped", async () => {
  const bench = new Bench();
  bench.deps = { ...bench.deps, concurrency: 2 };
  bench.service.onSend = ({ path }) => (path.endsWith("_b") ? bench.soft.abort() : undefined);
  const report = await bench.apply(three);
  expect(statuses(report)).toEqual({ "op-1": "done", "op-2": "done", "op-3": "skipped" });
  expect(report).toMatchObject({ outcome: "partial", interrupted: true });
  expect(bench.events).toContainEqual(expect.objectContaining({ event: "stopping", reason: "interrupted" }));
});

it("a signal during the search for a lost create is followed by one last look", async () => {
  for (const lost of ["done", "not-done"] as const) {
    const bench = new Bench();
    bench.service.fault = () => ({ lost, lateMs: 15 });
    bench.deps = {
      ...bench.deps,
      onEvent: (event) => {
        if (event.event === "waiting") void bench.clock.sleep(10).then(() => bench.soft.abort());
      },
    };
    const report = await bench.apply([create("op-1", "HTTPResponseBackend/x")]);
    expect(statuses(report)).toEqual({ "op-1": lost === "done" ? "done" : "unknown" });
    expect([bench.service.log.length, bench.service.lists]).toEqual([1, 2]);
  }
});

it("a signal ends the waiting for the service to settle", async () => {
  const bench = new Bench();
  bench.service.fault = ({ method }) => (method === "PATCH" ? { refuse: 400 } : "ok");
  bench.deps = {
    ...bench.deps,
    onEvent: (event) => {
      if (event.event === "waiting") bench.soft.abort();
    },
  };
  const report = await bench.apply([
    create("op-1", "HTTPResponseBackend/x"),
    patch("op-2", "a", {}, { waits: { "op-1": "use" } }),
  ]);
  expect(statuses(report)).toEqual({ "op-1": "done", "op-2": "failed" });
  expect(bench.service.log).toHaveLength(2);
});

it("what the client held back because of a signal was not sent, and so is skipped", async () => {
  const bench = new Bench();
  bench.service.fault = (request) => ({ throws: problem(request, null, "not-sent", "stopped") });
  const report = await bench.apply([create("op-1", "HTTPResponseBackend/x")]);
  expect(report.operations).toMatchObject([{ status: "skipped", error: "skipped: interrupted" }]);
});
