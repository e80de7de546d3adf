import { describe, expect, it } from "vitest";
import type { Manifest } from "../../src/manifest/manifest.ts";
import { order, type PlannedOperation } from "../../src/plan/order.ts";
import type { Operation, Plan, WaitReason } from "../../src/plan/plan-format.ts";
import { Account, operationsOf, warnings, writes } from "./support/account.ts";
import { address, backend, edge, loose, restriction } from "./support/manifests.ts";

const allow = ["ReservedAddress/a", "ReservedAddress/b", "IPRestriction/api"];
const deletable = { allow, maxDeletes: { count: 100 } };

function reasons(plan: Plan, later: string, earlier: string): readonly WaitReason[] {
  const ids = new Set(operationsOf(plan, earlier).map(({ id }) => id));
  return operationsOf(plan, later).flatMap(({ waits }) =>
    Object.entries(waits).flatMap(([id, reason]) => (ids.has(id) ? [reason] : [])),
  );
}

function place(plan: Plan, found: Operation | undefined): number {
  if (found === undefined) throw new Error("no such operation");
  return plan.operations.indexOf(found);
}

const on = (...hosts: readonly string[]): { readonly hostports: readonly string[] } => ({
  hostports: hosts.map((host) => `${host}.example.com:443`),
});

describe("every plan's operations", () => {
  it("stand in an order in which they could be run one by one, and wait only for earlier ones", () => {
    const account = new Account();
    account.apply([edge("a", on("a")), edge("b", on("b"))]);
    const plan = account.plan([
      backend("x"),
      edge("a", { ...on("b"), backend: { backend: { name: "x" } } }),
      edge("c", on("a")),
    ]);
    const seen = new Set<string>();
    for (const { id, after, waits } of plan.operations) {
      expect(after.every((earlier) => seen.has(earlier))).toBe(true);
      expect(Object.keys(waits)).toEqual([...after]);
      seen.add(id);
    }
    expect(plan.operations.map(({ id }) => id)).toEqual(plan.operations.map((_, index) => `op-${index + 1}`));
  });
});

describe("the six reasons to wait", () => {
  it("use: what is made comes before what refers to it", () => {
    const plan = new Account().plan([
      backend("b"),
      address("a"),
      edge("e", { hostports: [{ address: "a" }], backend: { backend: { name: "b" } } }),
    ]);
    expect(reasons(plan, "TLSEdge/e", "HTTPResponseBackend/b")).toEqual(["use"]);
    expect(reasons(plan, "TLSEdge/e", "ReservedAddress/a")).toEqual(["use"]);
    expect(reasons(plan, "ReservedAddress/a", "HTTPResponseBackend/b")).toEqual([]);
    expect(plan.operations.at(-1)?.why).toContain("HTTPResponseBackend/b");
  });

  it("unuse: whoever refers to it lets go before it is deleted", () => {
    const account = new Account();
    account.apply([backend("b"), backend("c"), edge("e", { backend: { backend: { name: "b" } } })]);
    const plan = account.apply([backend("c"), edge("e", { backend: { backend: { name: "c" } } })]);
    expect(reasons(plan, "HTTPResponseBackend/b", "TLSEdge/e")).toEqual(["unuse"]);
  });

  it("unuse: an address is deleted after the edge that served it, or that is deleted with it", () => {
    const account = new Account();
    account.apply([
      loose("a"),
      loose("b"),
      edge("stays", { hostports: ["s.example.com:443", { address: "a" }] }),
      edge("goes", { hostports: [{ address: "b" }] }),
    ]);
    const plan = account.apply([edge("stays", on("s"))], deletable);
    expect(reasons(plan, "ReservedAddress/a", "TLSEdge/stays")).toEqual(["unuse"]);
    expect(reasons(plan, "ReservedAddress/b", "TLSEdge/goes")).toEqual(["unuse"]);
  });

  it("free: a hostport is released before it is taken, with a warning for the moment in between", () => {
    const account = new Account();
    account.apply([edge("a", on("a", "moving")), edge("b", on("b"))]);
    const plan = account.apply([edge("a", on("a")), edge("b", on("b", "moving"))]);
    expect(reasons(plan, "TLSEdge/b", "TLSEdge/a")).toEqual(["free"]);
    expect(plan.operations[1]?.why).toContain("moving.example.com:443");
    expect(plan.warnings).toMatchObject([{ code: "traffic-gap", address: "TLSEdge/b" }]);
    expect(plan.warnings[0]?.message).toContain("moving.example.com:443");
  });

  it("late: a release waits for what its taker waits for", () => {
    const account = new Account();
    account.apply([edge("a", on("a", "moving"))]);
    const plan = account.apply([
      backend("x"),
      edge("a", on("a")),
      edge("b", { ...on("moving"), backend: { backend: { name: "x" } } }),
    ]);
    expect(reasons(plan, "TLSEdge/a", "HTTPResponseBackend/x")).toEqual(["late"]);
    expect(writes(plan)[0]).toBe("POST /backends/http_response");
  });

  it("last: deletes wait for everything else", () => {
    const account = new Account();
    account.apply([backend("old"), edge("e")]);
    const plan = account.apply([edge("e", { description: "d" }), edge("new")]);
    expect(plan.operations.at(-1)).toMatchObject({ method: "DELETE", address: "HTTPResponseBackend/old" });
    expect(reasons(plan, "HTTPResponseBackend/old", "TLSEdge/e")).toEqual(["last"]);
    expect(reasons(plan, "HTTPResponseBackend/old", "TLSEdge/new")).toEqual(["last"]);
  });
});

describe("hostports that move in a circle", () => {
  function rotate(
    before: { readonly [edge: string]: readonly string[] },
    after: { readonly [edge: string]: readonly string[] },
  ): Plan {
    const manifests = (state: typeof before): Manifest[] =>
      Object.entries(state).map(([name, hosts]) => edge(name, on(...hosts)));
    const account = new Account();
    account.apply(manifests(before));
    const plan = account.apply(manifests(after));
    expect(account.plan(manifests(after)).changes).toEqual([]);
    expect(account.problems()).toEqual([]);
    return plan;
  }
  const temporary = (plan: Plan): readonly Operation[] => plan.operations.filter((one) => one.temporary !== undefined);

  it("are swapped with one temporary release", () => {
    const plan = rotate({ a: ["1"], b: ["2"] }, { a: ["2"], b: ["1"] });
    expect(plan.operations).toHaveLength(3);
    expect(temporary(plan)).toMatchObject([
      { address: "TLSEdge/a", body: { hostports: [] }, temporary: { restore: { hostports: ["1.example.com:443"] } } },
    ]);
    expect(temporary(plan)[0]?.why).toContain("temporary");
    const taker = operationsOf(plan, "TLSEdge/b")[0];
    expect(temporary(plan)[0]?.temporary?.takers).toEqual([taker?.id]);
    expect(warnings(plan)).toEqual(["traffic-gap", "traffic-gap"]);
  });

  it.each([3, 7, 20])("are rotated among %d edges with one temporary release", (count) => {
    const names = Array.from({ length: count }, (_, index) => `e${index}`);
    const before = Object.fromEntries(names.map((name, index) => [name, [`h${index}`]]));
    const after = Object.fromEntries(names.map((name, index) => [name, [`h${(index + 1) % count}`]]));
    const plan = rotate(before, after);
    expect(temporary(plan)).toHaveLength(1);
    expect(plan.operations).toHaveLength(count + 1);
  });

  it("are taken back when the edge that was to take them fails, beside what the edge has got by then", () => {
    const plan = rotate({ a: ["1", "m"], b: ["2"] }, { a: ["1", "new"], b: ["2", "m"] });
    expect(operationsOf(plan, "TLSEdge/a")[0]?.handsOver).toEqual({
      restore: { hostports: ["1", "new", "m"].map((host) => `${host}.example.com:443`) },
      takers: [operationsOf(plan, "TLSEdge/b")[0]?.id],
      claims: { "hostport:m.example.com:443": operationsOf(plan, "TLSEdge/b")[0]?.id },
    });
  });

  it("are taken back by the rest of a split edge when it did not wait for the one that was to take them", () => {
    const swap = rotate({ a: ["1"], b: ["2"] }, { a: ["2"], b: ["1"] });
    expect(operationsOf(swap, "TLSEdge/a")[1]?.handsOver).toBeUndefined();
    const plan = rotate(
      { a: ["1", "2"], b: ["5", "6"], p: ["3"], q: ["4"], x: ["7"] },
      { a: ["3", "5"], b: ["4", "7"], p: ["2"], q: ["6"], x: ["1"] },
    );
    expect(temporary(plan).map(({ address: name }) => name)).toEqual(["TLSEdge/b", "TLSEdge/a"]);
    expect(operationsOf(plan, "TLSEdge/a")[1]?.handsOver).toEqual({
      restore: { hostports: ["3", "5", "1"].map((host) => `${host}.example.com:443`) },
      takers: [operationsOf(plan, "TLSEdge/x")[0]?.id],
      claims: { "hostport:1.example.com:443": operationsOf(plan, "TLSEdge/x")[0]?.id },
    });
  });

  it("are named with their takers where a delete lets them go, which nothing takes back", () => {
    const plan = rotate({ old: ["1", "gone"], b: ["2"] }, { b: ["2", "1"] });
    const [, take] = plan.operations;
    expect(plan.operations.map(({ kind }) => kind)).toEqual(["delete", "patch"]);
    expect(plan.operations[0]?.handsOver).toEqual({
      restore: null,
      takers: [take?.id],
      claims: { "hostport:1.example.com:443": take?.id },
    });
    expect(rotate({ old: ["1"], b: ["2"] }, { b: ["2"] }).operations[0]?.handsOver).toBeUndefined();
  });

  it("are swapped while other things of the edges change, in one PATCH more", () => {
    const account = new Account();
    account.apply([edge("a", on("1")), edge("b", on("2"))]);
    const plan = account.apply([
      backend("x"),
      edge("a", { ...on("2"), description: "d", backend: { backend: { name: "x" } } }),
      edge("b", on("1")),
    ]);
    const [release, rest] = operationsOf(plan, "TLSEdge/a");
    expect(release?.body).toEqual({ hostports: [] });
    expect(Object.keys(Object(rest?.body))).toEqual(["description", "hostports", "backend"]);
    expect(place(plan, release)).toBeGreaterThan(place(plan, operationsOf(plan, "HTTPResponseBackend/x")[0]));
  });
});

describe("restrictions of the API itself", () => {
  const api = (spec: Parameters<typeof restriction>[1] = {}): Manifest => restriction("api", { type: "api", ...spec });

  it("come after even the deletes when they are enforced", () => {
    const account = new Account();
    account.apply([backend("old"), edge("e")]);
    const plan = account.apply([edge("e", { description: "d" }), api(), backend("new")], deletable);
    expect(plan.operations.at(-1)).toMatchObject({ address: "IPRestriction/api", method: "POST" });
    expect(reasons(plan, "IPRestriction/api", "HTTPResponseBackend/old")).toEqual(["last"]);
    expect(plan.operations.at(-1)?.why).toContain("lock");
  });
});

describe("a circle that nothing can break", () => {
  const draft = (address: "TLSEdge/a" | "TLSEdge/b", takes: string, frees: string): PlannedOperation => ({
    kind: "patch",
    method: "PATCH",
    path: "/edges/tls/x",
    address,
    resourceId: address,
    body: {},
    bind: {},
    makes: null,
    destroys: null,
    uses: [],
    detaches: [],
    takes: [takes],
    frees: [frees],
    layer: 0,
    notes: [],
  });

  it("is told with all who wait", () => {
    const { cycles } = order([
      [draft("TLSEdge/a", "hostport:1", "hostport:2")],
      [draft("TLSEdge/b", "hostport:2", "hostport:1")],
    ]);
    expect(cycles.map((cycle) => cycle.map(({ address: name }) => name))).toEqual([["TLSEdge/a", "TLSEdge/b"]]);
  });
});
