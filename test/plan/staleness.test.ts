import { describe, expect, it } from "vitest";
import type { Manifest } from "../../src/manifest/manifest.js";
import { checkStale } from "../../src/plan/check-stale.js";
import type { Plan } from "../../src/plan/plan.js";
import { Secret } from "../../src/secret.js";
import { Account, defaults } from "./support/account.js";
import {
  address,
  backend,
  certificate,
  edge,
  lifecycle,
  loose,
  marked,
  restriction,
  route,
} from "./support/manifests.js";

/** Why a plan may not be applied to what is live now, in words. The plan has been saved and read. */
function stale(account: Account, plan: Plan): readonly string[] {
  const saved = JSON.parse(JSON.stringify(plan)) as Plan;
  return checkStale(saved, account.live(), defaults).map(({ code, message, remedy }) => {
    expect(code).toBe("stale-plan");
    expect(remedy).toContain("plan again");
    return message;
  });
}

describe("a plan still holds", () => {
  it("when nothing happened, whatever it does", () => {
    const account = new Account();
    const before = [
      backend("b"),
      edge("e", { backend: { backend: { name: "b" } } }),
      restriction("r"),
      edge("gone"),
      loose("a"),
    ];
    account.apply(before);
    const after = [
      backend("b", { status_code: 200 }),
      edge("e", { hostports: ["gone.example.com:443"], backend: { backend: { name: "b" } } }),
      restriction("r", { type: "endpoints" }),
      loose("a", { endpoint_configuration: { id: "ec_1" } }),
      certificate("c", "AAAA"),
    ];
    const plan = account.plan(after);
    expect(plan.refusals).toEqual([]);
    expect(stale(account, plan)).toEqual([]);
  });

  it("when something changed that it has nothing to do with", () => {
    const account = new Account();
    account.apply([backend("b"), edge("e"), edge("other")]);
    const plan = account.plan([backend("b", { status_code: 200 }), edge("e"), edge("other")]);
    account.meddle("TLSEdge/other", { description: "meddled" });
    account.call("POST", "/edges/tls", { hostports: ["new.example.com:443"] });
    account.call("POST", "/backends/http_response", { status_code: 200, metadata: marked("other", "b") });
    expect(stale(account, plan)).toEqual([]);
  });

  it("when only an ignored field changed, a whole one or a member", () => {
    const account = new Account();
    const ignore = lifecycle({ ignore: ["spec.description", "spec.tls_termination.min_version"] });
    const desired = (extra: { readonly metadata?: string }): Manifest =>
      edge("e", { tls_termination: { terminate_at: "edge", min_version: "1.2" }, ...extra }, ignore);
    account.apply([desired({})]);
    const plan = account.plan([desired({ metadata: "new" })]);
    account.meddle("TLSEdge/e", { description: "x", tls_termination: { terminate_at: "edge", min_version: "1.0" } });
    expect(stale(account, plan)).toEqual([]);
    account.meddle("TLSEdge/e", { tls_termination: { enabled: false, terminate_at: "edge" } });
    expect(stale(account, plan)).toHaveLength(1);
  });

  it("when a list came in another order with other computed members", () => {
    const account = new Account();
    account.apply([backend("a"), backend("b")]);
    const plan = account.plan([backend("a", { status_code: 200 }), backend("b", { status_code: 200 })]);
    const live = account.live();
    const list = live.lists.HTTPResponseBackend.map((one) => ({ ...one, uri: "x", extra: 1 })).toReversed();
    account.live = () => ({ ...live, lists: { ...live.lists, HTTPResponseBackend: list } });
    expect(stale(account, plan)).toEqual([]);
  });
});

describe("a plan is stale", () => {
  it("when a resource that it changes was changed, or its marker was", () => {
    const account = new Account();
    account.apply([edge("e")]);
    const plan = account.plan([edge("e", { description: "d" })]);
    account.meddle("TLSEdge/e", { hostports: ["x.example.com:443"] });
    expect(stale(account, plan)).toEqual([expect.stringMatching(/^TLSEdge\/e \(edgtls_\S+\) was changed/u)]);
    const again = account.plan([edge("e", { description: "d" })]);
    account.meddle("TLSEdge/e", { metadata: marked("test", "e", { deletion: "protect" }) });
    expect(stale(account, again)).toHaveLength(1);
  });

  it("when a resource that it changes, deletes or refers to is gone", () => {
    const account = new Account();
    account.apply([backend("b"), backend("gone")]);
    const plan = account.plan([backend("b"), edge("e", { backend: { backend: { name: "b" } } })]);
    const [b, gone] = [account.path("HTTPResponseBackend/b"), account.path("HTTPResponseBackend/gone")];
    account.call("DELETE", gone);
    expect(stale(account, plan)).toEqual([expect.stringContaining("HTTPResponseBackend/gone")]);
    account.call("DELETE", b);
    expect(stale(account, plan)).toHaveLength(2);
  });

  it("when what it refers to was changed, somebody else's too", () => {
    const account = new Account();
    const { id } = account.call("POST", "/backends/http_response", { status_code: 200 });
    const plan = account.plan([edge("e", { backend: { backend: { id: String(id) } } })]);
    account.call("PATCH", `/backends/http_response/${String(id)}`, { status_code: 503 });
    expect(stale(account, plan)).toEqual([expect.stringContaining(String(id))]);
  });

  it("when a reserved address that an edge is to serve was changed", () => {
    const account = new Account();
    account.apply([address("a")]);
    const plan = account.plan([address("a"), edge("e", { hostports: [{ address: "a" }] })]);
    account.meddle("ReservedAddress/a", { description: "meddled" });
    expect(stale(account, plan)).toEqual([expect.stringContaining("ReservedAddress/a")]);
  });

  it("when a new resource carries the stack's marker, or a previous one's", () => {
    const account = new Account();
    const plan = account.plan([backend("b")]);
    account.call("POST", "/backends/http_response", { status_code: 503, metadata: marked("test", "b") });
    expect(stale(account, plan)).toEqual([expect.stringMatching(/HTTPResponseBackend\/b .* appeared/u)]);
    const previous = { stack: "new", previousStacks: ["test"] };
    expect(checkStale(plan, account.live(), previous)).toHaveLength(1);
    expect(checkStale(plan, account.live(), { stack: "new", previousStacks: [] })).toEqual([]);
  });

  it("when somebody serves a hostport that it takes, by now", () => {
    const account = new Account();
    const plan = account.plan([edge("e", { hostports: ["Api.example.com:443"] })]);
    expect(plan.claims).toEqual(["hostport:api.example.com:443"]);
    account.call("POST", "/edges/tls", { hostports: ["api.example.com:443"] });
    expect(stale(account, plan)).toEqual([expect.stringContaining("api.example.com:443")]);
  });

  it("when a module of an HTTPS route was changed", () => {
    const account = new Account();
    account.watch("HTTPSEdgeRoute", "edghtr_1", "/edges/https/edghts_1/routes/edghtr_1");
    const plan = account.plan([route("r", { traffic_policy: { value: "{}" } })]);
    account.call("PUT", "/edges/https/edghts_1/routes/edghtr_1/traffic_policy", { value: '{"a":[]}' });
    expect(stale(account, plan)).toHaveLength(1);
  });
});

describe("a plan that was applied", () => {
  const route1 = "/edges/https/edghts_1/routes/edghtr_1";

  it.each<readonly [string, readonly Manifest[], readonly Manifest[]]>([
    ["creates", [], [backend("b")]],
    ["updates", [backend("b")], [backend("b", { status_code: 200 })]],
    ["sets a module", [edge("e")], [edge("e", { traffic_policy: { value: "{}" } })]],
    ["removes a module", [edge("e", { traffic_policy: { value: "{}" } })], [edge("e")]],
    ["deletes", [backend("a"), backend("b")], [backend("b")]],
    ["lets go", [backend("a", {}, lifecycle({ deletion: "orphan" })), backend("b")], [backend("b")]],
    ["renames", [backend("a")], [backend("b", {}, { previousNames: ["a"] })]],
    ["replaces", [restriction("r")], [restriction("r", { type: "endpoints" })]],
    ["replaces and lets go", [certificate("c", "AAAA")], [certificate("c", "BBBB")]],
    [
      "swaps",
      [edge("a"), edge("b")],
      [edge("a", { hostports: ["b.example.com:443"] }), edge("b", { hostports: ["a.example.com:443"] })],
    ],
    ["sets a route's policy", [], [route("r", { traffic_policy: { value: "{}" } })]],
    [
      "sets a route's webhook",
      [],
      [route("r", { webhook_verification: { provider: "GITHUB", secret: Secret.of("s", "env S") } })],
    ],
  ])("(%s) can't be applied twice", (_what, before, after) => {
    const account = new Account();
    account.watch("HTTPSEdgeRoute", "edghtr_1", route1);
    account.apply(before);
    const plan = account.plan(after);
    expect(plan.operations.length).toBeGreaterThan(0);
    expect(stale(account, plan)).toEqual([]);
    account.carryOut(plan);
    expect(stale(account, plan)).not.toEqual([]);
  });
});

describe("preconditions", () => {
  it("name what the plan touches or refers to, once each, without secrets", () => {
    const account = new Account();
    account.apply([backend("b"), edge("e", { backend: { backend: { name: "b" } } }), edge("other")]);
    const plan = account.plan([
      backend("b"),
      edge("e", { description: "d", backend: { backend: { name: "b" } } }),
      edge("other"),
    ]);
    expect(plan.preconditions.map((one) => [one.address, one.id])).toEqual([
      ["HTTPResponseBackend/b", account.id("HTTPResponseBackend/b")],
      ["TLSEdge/e", account.id("TLSEdge/e")],
    ]);
    expect(plan.preconditions.every((one) => /^sha256:[0-9a-f]{64}$/u.test(one.fingerprint))).toBe(true);
    expect(plan.owned).toHaveLength(3);
  });

  it("don't depend on a secret that is live", () => {
    const plans = ["one", "two"].map((secret) => {
      const account = new Account();
      account.watch("HTTPSEdgeRoute", "edghtr_1", "/edges/https/edghts_1/routes/edghtr_1");
      account.call("PUT", "/edges/https/edghts_1/routes/edghtr_1/webhook_verification", { provider: "GITHUB", secret });
      return account.plan([route("r", { traffic_policy: { value: "{}" } })]);
    });
    expect(plans[0]?.preconditions).toEqual(plans[1]?.preconditions);
    expect(plans[0]?.hash).toBe(plans[1]?.hash);
  });

  it("are none for a plan that does nothing", () => {
    const account = new Account();
    account.apply([backend("b")]);
    expect(account.plan([backend("b")]).preconditions).toEqual([]);
  });
});
