import { describe, expect, it } from "vitest";
import type { Fault } from "./support/fake-service.ts";
import { problem } from "./support/fake-service.ts";
import { Bench, resultFor, statuses } from "./support/bench.ts";
import { create, marked, patch } from "./support/operations.ts";

const address = "HTTPResponseBackend/hold";
const path = "/backends/http_response";
const one = create("op-1", address, { status_code: 503 });
const user = patch(
  "op-2",
  "a",
  { backend: { backend_id: null } },
  {
    waits: { "op-1": "use" },
    bind: { "/backend/backend_id": { address, part: "id" } },
  },
);

function benchWith(...faults: readonly Fault[]): Bench {
  const bench = new Bench();
  bench.service.fault = ({ method }, before) => (method === "POST" ? (faults[before] ?? "ok") : "ok");
  return bench;
}

function posts(bench: Bench): number {
  return bench.service.log.filter((line) => line.startsWith("POST")).length;
}

describe("a create whose answer is lost", () => {
  it.each([undefined, 408, 500, 502, 504])("and that was done is found, not repeated (%s)", async (status) => {
    const bench = benchWith({ lost: "done", ...(status === undefined ? {} : { status }) });
    const report = await bench.apply([one, user]);
    expect(statuses(report)).toEqual({ "op-1": "done", "op-2": "done" });
    expect(resultFor(report, "op-1")).toMatchObject({ resourceId: "new_1", httpStatus: null, error: null });
    expect(posts(bench)).toBe(1);
    expect(bench.service.resources.get("/edges/tls/edgtls_a")).toMatchObject({ backend: { backend_id: "new_1" } });
  });

  it("and that shows up while lists may lag is found, not repeated", async () => {
    const bench = benchWith({ lost: "done", lateMs: 29_000 });
    const report = await bench.apply([one, user]);
    expect(statuses(report)).toEqual({ "op-1": "done", "op-2": "done" });
    expect(posts(bench)).toBe(1);
  });

  it("and that shows up while a slow list is read is found by another look, not repeated", async () => {
    const bench = benchWith({ lost: "done", lateMs: 25_000 });
    const list: Bench["service"]["list"] = async (collection) => {
      const found = await bench.service.list(collection);
      await bench.clock.sleep(40_000);
      return found;
    };
    bench.deps = { ...bench.deps, client: { list, send: async (request) => bench.service.send(request) } };
    expect(statuses(await bench.apply([one]))).toEqual({ "op-1": "done" });
    expect(posts(bench)).toBe(1);
  });

  it("and that was not done is made again, once lists can't lag any more", async () => {
    const bench = benchWith({ lost: "not-done" });
    bench.deps = { ...bench.deps, settleMs: 3_000 };
    const report = await bench.apply([one, user]);
    expect(statuses(report)).toEqual({ "op-1": "done", "op-2": "done" });
    const pauses = bench.events.flatMap((event) => (event.event === "waiting" ? [event.milliseconds] : []));
    expect(pauses).toEqual([500, 1000, 1470]);
    expect(bench.service.seen[1]?.begun).toBeGreaterThanOrEqual((bench.service.seen[0]?.ended ?? 0) + 3_000);
    expect(bench.service.lists).toBe(pauses.length + 1);
    expect(bench.service.resources.has(`${path}/new_1`)).toBe(true);
  });

  it.each([12, 30])("of every third of %i is made in the end, and searches share their lists", async (number) => {
    const bench = new Bench();
    let sent = 0;
    bench.service.fault = ({ method }) => (method === "POST" && (sent += 1) % 3 === 0 ? { lost: "not-done" } : "ok");
    const all = Array.from({ length: number }, (_, at) => create(`op-${at}`, `HTTPResponseBackend/b-${at}`, {}));
    const outage = problem({ method: "GET", path }, null, "unknown", "reset");
    void bench.clock.sleep(1_000).then(() => (bench.service.listFault = outage));
    void bench.clock.sleep(5_000).then(() => (bench.service.listFault = null));
    const report = await bench.apply(all);
    expect(report.outcome).toBe("applied");
    expect(bench.service.resources.size).toBe(number);
    const lastEnds = new Map<string, number>();
    for (const { text, begun, ended } of bench.service.seen) {
      expect(begun - (lastEnds.get(text) ?? 0), text).toBeGreaterThan(30_000);
      lastEnds.set(text, ended ?? 0);
    }
    const rounds = Math.ceil(bench.clock.elapsed / 31_000);
    expect(bench.service.lists).toBeLessThan(rounds * 40);
  });

  it("while the collection can't be listed is left alone", async () => {
    const bench = benchWith({ lost: "not-done" });
    bench.service.listFault = problem({ method: "GET", path }, 503, "answered", "down");
    const report = await bench.apply([one]);
    expect(statuses(report)).toEqual({ "op-1": "unknown" });
    expect(resultFor(report, "op-1").error).toMatch(
      /no answer; what it may have created could not be looked for: .*down/u,
    );
    expect(posts(bench)).toBe(1);
  });

  it("and is refused the second time was done the first time, late", async () => {
    const bench = benchWith({ lost: "done", lateMs: 31_000 }, { refuse: 400, message: "hostport in use" });
    bench.service.latency = () => 50;
    const report = await bench.apply([one]);
    expect(statuses(report)).toEqual({ "op-1": "done" });
    expect(resultFor(report, "op-1").resourceId).toBe("new_1");
    expect(posts(bench)).toBe(2);
  });
});

describe("a create", () => {
  it("that is refused is not repeated", async () => {
    const bench = benchWith({ refuse: 400 });
    expect(statuses(await bench.apply([one]))).toEqual({ "op-1": "failed" });
    expect([posts(bench), bench.service.lists]).toEqual([1, 0]);
  });

  it("answered without an id is looked for", async () => {
    const bench = benchWith({ answer: {} });
    const report = await bench.apply([one]);
    expect(resultFor(report, "op-1")).toMatchObject({ status: "done", resourceId: "new_1" });
  });
});

describe("a replacement", () => {
  const replacing = create("op-1", address, { metadata: marked(address, "old_1") });

  it("is not mistaken for what it replaces", async () => {
    const bench = benchWith({ lost: "not-done" });
    bench.service.resources.set(`${path}/old_1`, { id: "old_1", metadata: marked(address) });
    const report = await bench.apply([replacing]);
    expect(resultFor(report, "op-1")).toMatchObject({ status: "done", resourceId: "new_1" });
    expect(posts(bench)).toBe(2);
  });

  it("is found by what it replaces", async () => {
    const bench = benchWith({ lost: "done" });
    bench.service.resources.set(`${path}/old_1`, { id: "old_1", metadata: marked(address) });
    bench.service.resources.set(`${path}/older`, { id: "older", metadata: marked(address, "old_0") });
    const report = await bench.apply([replacing]);
    expect(resultFor(report, "op-1")).toMatchObject({ status: "done", resourceId: "new_1" });
    expect(posts(bench)).toBe(1);
  });
});
