import { describe, expect, it } from "vitest";
import type { Operation } from "../../src/plan/plan-format.ts";
import { Bench, statuses } from "./support/bench.ts";
import { create, operation, patch } from "./support/operations.ts";

/** Edges a (one, two, keep) and b (three) trade hostports: a gets three, b gets one. */
const release = patch(
  "op-1",
  "a",
  { hostports: ["keep:443", "two:443"] },
  {
    temporary: { restore: { hostports: ["one:443", "two:443", "keep:443"] }, takers: ["op-2"] },
  },
);
const take = patch("op-2", "b", { hostports: ["one:443"] }, { waits: { "op-1": "free" } });
const own = patch(
  "op-3",
  "a",
  { hostports: ["three:443", "two:443", "keep:443"] },
  {
    waits: { "op-1": "same", "op-2": "free" },
  },
);
const swap = [release, take, own];
const before = ["one:443", "two:443", "keep:443"];

function start(): Bench {
  const bench = new Bench();
  bench.service.resources.set("/edges/tls/edgtls_a", { id: "edgtls_a", hostports: before });
  bench.service.resources.set("/edges/tls/edgtls_b", { id: "edgtls_b", hostports: ["three:443"] });
  return bench;
}

function served(bench: Bench, edge: string): unknown {
  return bench.service.resources.get(`/edges/tls/edgtls_${edge}`)?.["hostports"];
}

function codes(report: { readonly warnings: readonly { readonly code: string }[] }): readonly string[] {
  return report.warnings.map(({ code }) => code);
}

describe("what a deleted edge served", () => {
  const gone = operation(
    "op-1",
    {
      kind: "delete",
      method: "DELETE",
      address: "TLSEdge/a",
      path: "/edges/tls/edgtls_a",
      resourceId: "edgtls_a",
      body: null,
    },
    {
      handsOver: {
        restore: null,
        takers: ["op-2", "op-3"],
        claims: { "hostport:one:443": "op-2", "hostport:two:443": "op-3" },
      },
    },
  );
  const other = patch("op-3", "c", { hostports: ["two:443"] }, { waits: { "op-1": "free" } });

  it("is named when nobody could take it, with what became of the operation that was to", async () => {
    const bench = start();
    bench.service.fault = ({ path }) => (path.endsWith("_b") ? { refuse: 403 } : "ok");
    const report = await bench.apply([gone, take, other]);
    expect(report.warnings).toMatchObject([{ code: "hostport-unserved", address: "TLSEdge/a" }]);
    expect(report.warnings[0]?.message).toMatch(
      /^one:443: not served by any edge: TLSEdge\/a is deleted, .*op-2 \(TLSEdge\/b\) failed.*bring back that of TLSEdge\/a$/u,
    );
  });

  it("is named when a signal comes before it was taken, and not when it was", async () => {
    const bench = start();
    bench.service.onSend = ({ path }) => (path.endsWith("_a") ? bench.soft.abort() : undefined);
    const report = await bench.apply([gone, take, other]);
    expect(report.warnings[0]?.message).toMatch(/^one:443, two:443: not served/u);
    expect(codes(await start().apply([gone, take, other]))).toEqual([]);
  });
});

describe("what a temporary release let go", () => {
  it.each([
    { kind: "module-put", method: "PUT", body: { enabled: true } },
    { kind: "module-delete", method: "DELETE", body: null },
  ] as const)("is given back when its taker fails and the edge's own $kind is done", async (module) => {
    const bench = start();
    bench.service.fault = ({ path }) => (path.endsWith("_b") ? { refuse: 403 } : "ok");
    const path = "/edges/tls/edgtls_a/mutual_tls";
    const edge = { address: "TLSEdge/a", resourceId: "edgtls_a" } as const;
    const later = operation("op-3", { ...module, ...edge, path }, { waits: { "op-1": "same" } });
    const report = await bench.apply([release, take, later]);
    expect(statuses(report)).toEqual({ "op-1": "done", "op-2": "failed", "op-3": "done" });
    expect([served(bench, "a"), codes(report)]).toEqual([before, ["released-hostport-restored"]]);
  });

  it("is given back when its taker fails", async () => {
    const bench = start();
    bench.service.fault = ({ path }) => (path.endsWith("_b") ? { refuse: 403 } : "ok");
    const report = await bench.apply(swap);
    expect(statuses(report)).toEqual({ "op-1": "done", "op-2": "failed", "op-3": "skipped" });
    expect(served(bench, "a")).toEqual(before);
    expect(report.warnings).toMatchObject([{ code: "released-hostport-restored", address: "TLSEdge/a" }]);
    expect(report.warnings[0]?.message).toContain("op-2 (TLSEdge/b) failed");
    expect(bench.events).toContainEqual(expect.objectContaining({ event: "restored", op: "op-1", restored: true }));
  });

  it("is not even let go when its taker can't come any more", async () => {
    const bench = start();
    bench.service.fault = ({ method }) => (method === "POST" ? { refuse: 403 } : "ok");
    const needs = create("op-0", "HTTPResponseBackend/hold");
    const late: Operation = { ...release, after: ["op-0"], waits: { "op-0": "late" } };
    const taker: Operation = { ...take, after: ["op-1", "op-0"], waits: { "op-1": "free", "op-0": "use" } };
    const report = await bench.apply([needs, late, taker, own]);
    expect(statuses(report)).toMatchObject({ "op-1": "skipped", "op-2": "skipped" });
    expect(bench.service.log).toEqual(["POST /backends/http_response"]);
    expect(codes(report)).toEqual([]);
  });

  it("is given back without what another has taken by now", async () => {
    const bench = start();
    bench.service.fault = ({ path }) => (path.endsWith("_b") ? { refuse: 403 } : "ok");
    const both: Operation = {
      ...release,
      body: { hostports: ["keep:443"] },
      temporary: { restore: { hostports: ["one:443", "Two:443", "keep:443"] }, takers: ["op-2", "op-4"] },
    };
    const other = patch("op-4", "c", { hostports: ["TWO:443"] }, { waits: { "op-1": "free" } });
    await bench.apply([both, take, own, other]);
    expect(served(bench, "a")).toEqual(["one:443", "keep:443"]);
  });

  it("and can't be given back is told", async () => {
    const bench = start();
    bench.service.fault = ({ path }, tries) => (path.endsWith("_b") || tries > 0 ? { refuse: 403 } : "ok");
    const report = await bench.apply(swap);
    expect(codes(report)).toEqual(["restore-failed"]);
    expect(report.warnings[0]?.message).toMatch(/403.*op-2 \(TLSEdge\/b\) failed/u);
  });

  it("is given back even when nothing can be recorded any more", async () => {
    const bench = start();
    bench.deps = {
      ...bench.deps,
      onEvent: (event) => {
        if (event.event === "response" || event.event === "request") {
          if (event.op === "op-2" || event.purpose === "restore") throw new Error("disk full");
        }
      },
    };
    const report = await bench.apply(swap);
    expect(statuses(report)).toMatchObject({ "op-1": "done", "op-2": "failed" });
    expect(served(bench, "a")).toEqual(before);
    expect(codes(report)).toEqual(["events-failed", "released-hostport-restored"]);
  });

  it("is not given back after the second signal, which is told", async () => {
    const bench = start();
    bench.service.onSend = ({ path }) => (path.endsWith("_b") ? bench.hard.abort() : undefined);
    const report = await bench.apply(swap);
    expect(statuses(report)).toEqual({ "op-1": "done", "op-2": "unknown", "op-3": "skipped" });
    expect(bench.service.log).toHaveLength(2);
    expect(codes(report)).toEqual(["restore-failed"]);
  });
});
