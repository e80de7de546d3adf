import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { createMetrics } from "../../../src/serve/http/serve-metrics.ts";
import { newAccountRecord } from "../../../src/serve/records.ts";
import type { ServeEvent } from "../../../src/serve/serve-events.ts";
import { commit, fakeFleet, stackOf, startFake, viewOf } from "./fake-view.ts";
import { type ReadMetric, readMetrics } from "./read-metrics.ts";

const contract = [
  "edgewise_stack_age_seconds",
  "edgewise_stack_state",
  "edgewise_reconcile_duration_seconds",
  "edgewise_reconciles_total",
  "edgewise_drift_findings",
  "edgewise_waiting_changes",
  "edgewise_api_requests_total",
  "edgewise_api_rate_limited_total",
  "edgewise_source_age_seconds",
  "edgewise_brake",
  "edgewise_build_info",
];
const further = [
  "edgewise_accounts_passing",
  "edgewise_stacks",
  "edgewise_stacks_oldest_age_seconds",
  "edgewise_store_usable",
  "edgewise_troubles",
];

const build = { version: "1.2.3", commit };

function valuesOf(metrics: ReadonlyMap<string, ReadMetric>, name: string): { [labels: string]: number } {
  const samples = metrics.get(name)?.samples ?? [];
  return Object.fromEntries(samples.map(({ labels, value }) => [Object.values(labels).join(" "), value]));
}

function mixedFleet() {
  const now = Date.now();
  const changes = { commit: 1, drift: 2, both: 4 };
  const fleet = fakeFleet([
    stackOf("a", { lookedAt: now - 5000 }),
    stackOf("many/t1", { state: "waiting", reason: "approval", impact: "routing", changes, lookedAt: now - 7000 }),
    stackOf("new", { state: "unknown", lookedAt: null }),
    stackOf("old", { lookedAt: now - 100_000 }, 10_000),
  ]);
  const source = { followed: commit, tip: commit, problem: null };
  fleet.sources = [
    { name: "edge", fetchedAt: now - 3000, ...source },
    { name: "new", fetchedAt: null, ...source },
    { name: "never", fetchedAt: null, ...source, problem: { code: "unreachable", message: "m", since: now - 9000 } },
  ];
  const brake = { id: "b1", cause: "stacks" as const, message: "m", since: now, lastSeen: now, quietMs: 600_000 };
  fleet.accounts = [newAccountRecord("main"), { ...newAccountRecord("other"), brake }];
  return { fleet, now };
}

describe("/metrics", () => {
  it("is Prometheus' text format, with exactly the metrics that are documented", async () => {
    const { fleet } = mixedFleet();
    const { ask } = await startFake(fleet);
    const { status, headers, text } = await ask("/metrics");
    expect([status, headers["content-type"]]).toEqual([200, "text/plain; version=0.0.4; charset=utf-8"]);
    const metrics = readMetrics(text);
    expect([...metrics.keys()].toSorted()).toEqual([...contract, ...further].toSorted());
    expect([...metrics.values()].filter(({ help }) => !/[.]$/.test(help))).toEqual([]);
    const document = readFileSync(new URL("../../../docs/serve/http.md", import.meta.url), "utf8");
    expect([...metrics.keys()].filter((name) => !document.includes(`| \`${name}\``))).toEqual([]);
  });

  it("shows the fleet as it is when it is asked for", async () => {
    const { fleet, now } = mixedFleet();
    const metrics = createMetrics(build);
    const first = readMetrics((await metrics.render(viewOf(fleet), now)).text);
    expect(valuesOf(first, "edgewise_stack_state")).toEqual({
      "a synced": 1,
      "many/t1 waiting approval": 1,
      "new unknown": 1,
      "old unknown": 1,
    });
    expect(valuesOf(first, "edgewise_stack_age_seconds")).toEqual({ a: 5, "many/t1": 7, old: 100 });
    expect(valuesOf(first, "edgewise_stacks")).toMatchObject({ synced: 1, pending: 0, waiting: 1, unknown: 2 });
    expect(valuesOf(first, "edgewise_accounts_passing")).toEqual({ "": 2 });
    expect(valuesOf(first, "edgewise_stacks_oldest_age_seconds")).toEqual({ "": 100 });
    expect(valuesOf(first, "edgewise_drift_findings")).toEqual({ "": 6 });
    expect(valuesOf(first, "edgewise_waiting_changes")).toMatchObject({ cosmetic: 0, routing: 7, security: 0 });
    expect(valuesOf(first, "edgewise_source_age_seconds")).toEqual({ edge: 3, never: 9 });
    expect(valuesOf(first, "edgewise_brake")).toEqual({ main: 0, other: 1 });
    expect(valuesOf(first, "edgewise_build_info")).toEqual({ [`1.2.3 ${commit}`]: 1 });
    fleet.stacks = [stackOf("b", { state: "failed" })];
    fleet.sources = [];
    const later = readMetrics((await metrics.render(viewOf(fleet), now)).text);
    expect(valuesOf(later, "edgewise_stack_state")).toEqual({ "b failed": 1 });
    expect(Object.keys(valuesOf(later, "edgewise_stack_age_seconds"))).toEqual(["b"]);
    expect(valuesOf(later, "edgewise_source_age_seconds")).toEqual({});
  });

  it("counts what the loop does, from zero on", async () => {
    const metrics = createMetrics(build);
    const view = viewOf(fakeFleet());
    const read = async () => readMetrics((await metrics.render(view, Date.now())).text);
    expect(valuesOf(await read(), "edgewise_reconciles_total")).toMatchObject({ synced: 0, failed: 0, waiting: 0 });
    expect(valuesOf(await read(), "edgewise_api_rate_limited_total")).toEqual({ "": 0 });
    const looked = { event: "stack-looked", stack: "a", commit, reason: null } as const;
    const events: readonly ServeEvent[] = [
      { ...looked, state: "synced", ms: 40 },
      { ...looked, state: "synced", ms: 4000 },
      { ...looked, state: "failed", ms: 1e7 },
      { event: "request", account: "main", status: 200 },
      { event: "request", account: "main", status: 429 },
      { event: "request", account: "main", status: 0 },
      { event: "request", account: "main", status: 99_999 },
      { event: "rate-limited", account: "main", pauseMs: 1000 },
      { event: "store-failed", message: "the disk is full" },
    ];
    expect(valuesOf(await read(), "edgewise_store_usable")).toEqual({ "": 1 });
    for (const event of events) metrics.onEvent(event);
    const counted = await read();
    expect(valuesOf(counted, "edgewise_reconciles_total")).toMatchObject({ synced: 2, failed: 1, waiting: 0 });
    expect(valuesOf(counted, "edgewise_api_requests_total")).toEqual({ "200": 1, "429": 1, none: 2 });
    expect(valuesOf(counted, "edgewise_api_rate_limited_total")).toEqual({ "": 1 });
    expect(valuesOf(counted, "edgewise_store_usable")).toEqual({ "": 0 });
    const duration = counted.get("edgewise_reconcile_duration_seconds")?.samples ?? [];
    const buckets = duration.filter(({ name }) => name.endsWith("_bucket"));
    expect(buckets.at(0)).toMatchObject({ labels: { le: "0.05" }, value: 1 });
    expect(buckets.at(-1)).toMatchObject({ labels: { le: "+Inf" }, value: 3 });
    expect(buckets.map(({ value }) => value)).toEqual(buckets.map(({ value }) => value).toSorted((a, b) => a - b));
    expect(duration.find(({ name }) => name.endsWith("_sum"))?.value).toBeCloseTo(10_004.04);
  });

  it("has no series of single stacks from 5,000 stacks on, but the same sums", async () => {
    const metrics = createMetrics(build);
    const fleet = fakeFleet(Array.from({ length: 4999 }, (_, index) => stackOf(`s${index}`)));
    const below = readMetrics((await metrics.render(viewOf(fleet), Date.now())).text);
    expect(below.get("edgewise_stack_state")?.samples).toHaveLength(4999);
    fleet.stacks.push(stackOf("last"));
    const from = readMetrics((await metrics.render(viewOf(fleet), Date.now())).text);
    expect(from.get("edgewise_stack_state")?.samples).toEqual([]);
    expect(from.get("edgewise_stack_age_seconds")?.samples).toEqual([]);
    expect(valuesOf(from, "edgewise_stacks")).toMatchObject({ synced: 5000 });
    expect([...from.keys()]).toEqual([...below.keys()]);
  });

  it("keeps odd names in one label, and one metric at one set of labels", async () => {
    const name = 'a"b\\c\nd} 1 é';
    const metrics = createMetrics(build);
    const read = readMetrics((await metrics.render(viewOf(fakeFleet([stackOf(name)])), Date.now())).text);
    expect(read.get("edgewise_stack_age_seconds")?.samples.map(({ labels }) => labels)).toEqual([{ stack: name }]);
  });
});
