import { describe, expect, it } from "vitest";
import { Bench, resultFor, statuses } from "./support/bench.ts";
import { changeOf, create, patch, planOf, remove } from "./support/operations.ts";

const backend = "HTTPResponseBackend/hold";

describe("order", () => {
  it("an operation begins when what it waits for has ended", async () => {
    const bench = new Bench();
    bench.deps = { ...bench.deps, concurrency: 1 };
    const report = await bench.apply([
      patch("op-1", "a", { description: "1" }),
      patch("op-2", "b", { description: "2" }, { waits: { "op-1": "same" } }),
      patch("op-3", "c", { description: "3" }),
      patch("op-4", "d", { description: "4" }, { waits: { "op-2": "last" } }),
    ]);
    expect(bench.service.log).toEqual(["a", "c", "b", "d"].map((name) => `PATCH /edges/tls/edgtls_${name}`));
    expect(report.outcome).toBe("applied");
  });
});

describe("a failure", () => {
  it.each(["same", "use", "unuse", "free", "late"] as const)(
    "skips what needs it (%s), and says why",
    async (reason) => {
      const bench = new Bench();
      bench.service.fault = ({ path }) => (path.endsWith("_a") ? { refuse: 403, message: "not yours" } : "ok");
      const operations = [
        patch("op-1", "a", { description: "1" }),
        patch("op-2", "b", { description: "2" }, { waits: { "op-1": reason } }),
        remove("op-3", "c", { waits: { "op-2": "unuse" } }),
        patch("op-4", "d", { description: "4" }),
      ];
      const report = await bench.apply(planOf(operations, { changes: [changeOf("TLSEdge/a", 3)] }));
      expect(statuses(report)).toEqual({ "op-1": "failed", "op-2": "skipped", "op-3": "skipped", "op-4": "done" });
      expect(resultFor(report, "op-1").error).toBe("PATCH /edges/tls/edgtls_a: 403: not yours (edge/api.yaml:3)");
      expect(resultFor(report, "op-2").error).toMatch(/^skipped: op-1 \(TLSEdge\/a\), which .*, failed$/u);
      expect(resultFor(report, "op-3").error).toContain(
        "op-2 (TLSEdge/b), which should have stopped using what it deletes, was",
      );
      expect(report.outcome).toBe("partial");
    },
  );

  it("of an answered 5xx or 408 may still have changed something", async () => {
    for (const status of [408, 500, 503]) {
      const bench = new Bench();
      bench.service.fault = () => ({ lost: "done", status });
      const report = await bench.apply([patch("op-1", "a", { description: "1" }), remove("op-2", "b")]);
      expect(statuses(report)).toEqual({ "op-1": "unknown", "op-2": "unknown" });
      expect(resultFor(report, "op-1").error).toContain("it may or may not have been applied");
      expect(report.outcome).toBe("partial");
    }
  });

  it("of this program ends the run, and is told without what it says", async () => {
    const bench = new Bench();
    bench.deps = { ...bench.deps, concurrency: 1 };
    bench.service.fault = () => ({ throws: new TypeError("canary-in-a-bug") });
    const report = await bench.apply([
      patch("op-1", "a", { description: "1" }),
      patch("op-2", "b", { description: "2" }),
    ]);
    expect(statuses(report)).toEqual({ "op-1": "unknown", "op-2": "skipped" });
    expect(report.warnings.map(({ code }) => code)).toEqual(["internal-error"]);
    expect(JSON.stringify([report, bench.events])).not.toContain("canary");
  });
});

describe("a delete", () => {
  it("of what is gone is done", async () => {
    const bench = new Bench();
    bench.service.fault = () => ({ refuse: 404 });
    const report = await bench.apply([remove("op-1", "a"), remove("op-2", "b", { waits: { "op-1": "use" } })]);
    expect(statuses(report)).toEqual({ "op-1": "done", "op-2": "done" });
    expect(resultFor(report, "op-1").httpStatus).toBe(404);
    expect(bench.service.log).toHaveLength(2);
  });
});

it("a PATCH of what is gone has failed", async () => {
  const bench = new Bench();
  bench.service.fault = () => ({ refuse: 404 });
  expect(statuses(await bench.apply([patch("op-1", "a", { description: "1" })]))).toEqual({ "op-1": "failed" });
});

describe("what is known only now", () => {
  it("is put into body and path", async () => {
    const bench = new Bench();
    const report = await bench.apply([
      create("op-1", backend, { status_code: 503 }),
      create("op-2", "ReservedAddress/tcp"),
      create(
        "op-3",
        "TLSEdge/api",
        { hostports: ["a.example:443", null], backend: { enabled: true, backend_id: null } },
        {
          waits: { "op-1": "use", "op-2": "use" },
          bind: {
            "/backend/backend_id": { address: backend, part: "id" },
            "/hostports/1": { address: "ReservedAddress/tcp", part: "addr" },
          },
        },
      ),
      patch(
        "op-4",
        "api",
        { description: "late" },
        { waits: { "op-3": "same" }, pathBind: { address: "TLSEdge/api", part: "id" } },
      ),
    ]);
    expect(report.outcome).toBe("applied");
    expect(bench.service.resources.get("/edges/tls/new_3")).toMatchObject({
      hostports: ["a.example:443", "2.tcp.example.com:4000"],
      backend: { enabled: true, backend_id: "new_1" },
      description: "late",
    });
    expect(resultFor(report, "op-4").resourceId).toBe("new_3");
  });

  it("can't lead a path elsewhere", async () => {
    const bench = new Bench();
    bench.service.fault = ({ method }) => (method === "POST" ? { answer: { id: "../x?$&" } } : "ok");
    const pathBind = { address: "TLSEdge/api", part: "id" } as const;
    await bench.apply([
      create("op-1", "TLSEdge/api"),
      patch("op-2", "api", {}, { waits: { "op-1": "same" }, pathBind }),
    ]);
    expect(bench.service.log[1]).toBe("PATCH /edges/tls/..%2Fx%3F%24%26");
  });

  it("and was never said fails what needs it, unsent", async () => {
    const bench = new Bench();
    bench.service.fault = ({ method }) => (method === "POST" ? { answer: { id: "ra_1" } } : "ok");
    const bind = { "/hostports/0": { address: "ReservedAddress/tcp", part: "addr" } } as const;
    const report = await bench.apply([
      create("op-1", "ReservedAddress/tcp"),
      patch("op-2", "api", { hostports: [null] }, { waits: { "op-1": "use" }, bind }),
    ]);
    expect(statuses(report)).toEqual({ "op-1": "done", "op-2": "failed" });
    expect(resultFor(report, "op-2").error).toBe("not sent: the service returned no addr for ReservedAddress/tcp");
    expect(bench.service.log).toEqual(["POST /reserved_addrs"]);
  });
});

describe("a plan that can't be run", () => {
  const one = patch("op-1", "a", { description: "1" });
  it.each([
    ["for one that does not come before it", [patch("op-1", "a", {}, { waits: { "op-9": "same" } })]],
    ["have one id", [one, patch("op-1", "b", {})]],
    [
      "for one that does not come before it",
      [patch("op-1", "a", {}, { waits: { "op-2": "same" } }), patch("op-2", "b", {}, { waits: { "op-1": "same" } })],
    ],
  ])("is refused before anything is sent: %s", async (words, operations) => {
    const bench = new Bench();
    await expect(bench.apply(operations)).rejects.toMatchObject({ code: "plan-file", exit: 1 });
    await expect(bench.apply(operations)).rejects.toThrow(words);
    expect(bench.service.log).toEqual([]);
  });

  it("a plan with refusals is not run", async () => {
    const bench = new Bench();
    const refusal = { code: "lockout", message: "m", remedy: "r" } as const;
    const report = await bench.apply(planOf([one], { refusals: [refusal] }));
    expect(report).toMatchObject({ outcome: "refused", operations: [{ status: "skipped" }] });
    expect(bench.service.log).toEqual([]);
  });
});
