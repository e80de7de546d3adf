import { describe, expect, it, onTestFinished } from "vitest";
import { createClient } from "../../src/api/create-client.ts";
import { systemClock } from "../../src/api/system-clock.ts";
import { applyPlan } from "../../src/apply/apply-plan.ts";
import type { ApplyReport } from "../../src/apply/result.ts";
import { verify } from "../../src/apply/verify.ts";
import { listedKinds } from "../../src/kinds/names.ts";
import { readLive } from "../../src/live/read-live.ts";
import type { Manifest } from "../../src/manifest/manifest.ts";
import { plan } from "../../src/plan/make-plan.ts";
import type { PlanOptions } from "../../src/plan/plan-context.ts";
import type { Plan } from "../../src/plan/plan-format.ts";
import { parseFault } from "../../src/sandbox/fault.ts";
import { Secret } from "../../src/core/secret.ts";
import { manifest } from "../plan/support/account.ts";
import { sandboxFor } from "../sandbox/support.ts";

const options: PlanOptions = {
  stack: "demo",
  previousStacks: [],
  baseUrl: "",
  toolVersion: "0",
  moduleEndpoints: [],
  prune: true,
  allow: ["ReservedAddress/tcp"],
  maxDeletes: { count: 1000 },
  allowEmpty: true,
  takeOver: false,
  only: null,
  destroy: false,
  lookUp: false,
};

/** The whole way from manifests over HTTP and back, with time running fifty times as fast. */
async function account(...faults: readonly string[]) {
  const sandbox = await sandboxFor({ faults: faults.map(parseFault) });
  const clock = { now: systemClock.now, sleep: (ms: number, stop?: AbortSignal) => systemClock.sleep(ms / 50, stop) };
  const client = createClient({
    baseUrl: sandbox.baseUrl,
    apiKey: Secret.of(sandbox.apiKey, "test"),
    versionHeader: sandbox.versionHeader,
    concurrency: 8,
    timeoutMs: 10_000,
    requestsPerMinute: null,
    env: {},
    clock,
  });
  onTestFinished(() => client.close());
  const planFor = async (desired: readonly Manifest[]): Promise<Plan> =>
    plan(desired, await readLive(client, { used: new Set(listedKinds), modules: [] }), options);
  const apply = async (desired: readonly Manifest[]): Promise<ApplyReport & { readonly verified: boolean }> => {
    const first = await planFor(desired);
    const { signal } = new AbortController();
    const report = await applyPlan(first, {
      client,
      concurrency: 8,
      resolveSecret: (reference) => Secret.unavailable(reference, "none"),
      signal,
      onEvent: () => {},
      clock,
      random: Math.random,
      settleMs,
      consistencyMs: settleMs,
    });
    const deps = { replan: () => planFor(desired), settleMs, clock, signal };
    const { verified } = await verify({ plan: first, report }, deps);
    return { ...report, verified: verified === true };
  };
  const hostports = (): readonly unknown[] =>
    sandbox.world().lists.TLSEdge.flatMap((edge) => (Array.isArray(edge["hostports"]) ? edge["hostports"] : []));
  return { sandbox, apply, hostports };
}

function edge(name: string, hostports: readonly (string | { readonly address: string })[], more = {}): Manifest {
  return manifest("TLSEdge", name, { hostports, ...more });
}

/** The sandbox's lists never lag here: what they don't show within this time is not there. */
const settleMs = 1_000;

const many = Array.from({ length: 12 }, (_, n) => [
  manifest("HTTPResponseBackend", `b${n}`, { status_code: 503, headers: { "X-A": "b" } }),
  edge(`e${n}`, [`h${n}.example.com:443`], { backend: { enabled: true, backend: { name: `b${n}` } } }),
]).flat();
const tcp = [manifest("ReservedAddress", "tcp", { region: "eu" }), edge("tcp", [{ address: "tcp" }])];

describe("against the sandbox", () => {
  it.each([
    ["nothing goes wrong"],
    ["answers to creates are lost", "reset=after,method=POST,count=5"],
    ["answers are cut short", "truncate,method=POST|PATCH|DELETE,count=6"],
    [
      // Four times for each method: a fifth would end the attempts, if one request met all of them.
      "everything fails now and then",
      "status=503,method=GET,skip=3,count=2",
      "reset=after,method=GET,skip=17,count=2",
      "status=503,method=PATCH,skip=2,count=2",
      "reset=after,method=PATCH,skip=9,count=2",
      "status=503,method=DELETE,skip=1,count=2",
      "reset=after,method=DELETE,skip=12,count=2",
      "reset=after,method=POST,skip=4,count=4",
    ],
  ])("everything is there once, gone once, and changed again: %s", async (_what, ...faults) => {
    const { apply, sandbox } = await account(...faults);
    const made = await apply([...many, ...tcp]);
    expect(made.operations.filter(({ status }) => status !== "done")).toEqual([]);
    expect([made.outcome, made.verified, made.warnings]).toEqual(["applied", true, []]);
    expect(sandbox.world().lists.TLSEdge).toHaveLength(13);
    const changed = await apply(many.map((one) => ({ ...one, spec: { ...one.spec, description: "again" } })));
    expect([changed.outcome, changed.verified]).toEqual(["applied", true]);
    const gone = await apply([]);
    expect([gone.outcome, gone.verified]).toEqual(["applied", true]);
    expect(Object.values(sandbox.world().lists).flat()).toEqual([]);
  });

  it("edges that swap hostports do so, or keep serving what they served", async () => {
    const before = [edge("a", ["one.example.com:443", "keep.example.com:443"]), edge("b", ["two.example.com:443"])];
    const after = [edge("a", ["two.example.com:443", "keep.example.com:443"]), edge("b", ["one.example.com:443"])];
    const good = await account();
    await good.apply(before);
    expect(await good.apply(after)).toMatchObject({ outcome: "applied", verified: true });

    const bad = await account("status=403,method=PATCH,skip=1,count=1");
    await bad.apply(before);
    const report = await bad.apply(after);
    expect(report).toMatchObject({ outcome: "partial", verified: false });
    expect(report.warnings.map(({ code }) => code)).toEqual(["released-hostport-restored"]);
    const all = ["keep", "one", "two"].map((host) => `${host}.example.com:443`);
    expect([bad.hostports().length, new Set(bad.hostports())]).toEqual([3, new Set(all)]);
    expect(await bad.apply(after)).toMatchObject({ outcome: "applied", verified: true });
  });

  it.each([
    ["another edge", [edge("b", ["b.example.com:443"])], "status=403,method=PATCH,skip=1,count=1"],
    ["a new edge", [], "status=403,method=POST,path=/edges/tls,skip=1,count=1"],
  ])("an edge gets back what %s failed to take from it, beside what it got itself", async (_what, others, fault) => {
    const { apply, sandbox, hostports } = await account(fault);
    const a = (...hosts: readonly string[]): Manifest => edge("a", hosts);
    await apply([a("a.example.com:443", "moving.example.com:443", "gone.example.com:443"), ...others]);
    const after = [
      edge("a", ["a.example.com:443", { address: "tcp" }], { description: "d" }),
      manifest("ReservedAddress", "tcp", { region: "eu" }),
      edge("b", ["b.example.com:443", "moving.example.com:443"]),
    ];
    const report = await apply(after);
    expect(report).toMatchObject({ outcome: "partial", verified: false });
    expect(report.warnings.map(({ code }) => code)).toEqual(["released-hostport-restored"]);
    const world = sandbox.world().lists;
    const addr = world.ReservedAddress[0]?.["addr"];
    const live = world.TLSEdge.find(({ metadata }) => String(metadata).includes('"a"'));
    expect(live).toMatchObject({
      description: "d",
      hostports: ["a.example.com:443", addr, "moving.example.com:443"],
    });
    expect(new Set(hostports()).size).toBe(hostports().length);
    expect(await apply(after)).toMatchObject({ outcome: "applied", verified: true, warnings: [] });
    expect(hostports()).toContain("moving.example.com:443");
  });
});
