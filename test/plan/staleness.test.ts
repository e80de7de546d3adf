import { describe, expect, it } from "vitest";
import type { Manifest } from "../../src/manifest/manifest.ts";
import type { FieldChange, Operation, Plan } from "../../src/plan/plan-format.ts";
import { withoutSecrets } from "../../src/plan/plan-secrets.ts";
import { staleness } from "../../src/plan/staleness.ts";
import { Secret } from "../../src/core/secret.ts";
import { Account } from "./support/account.ts";
import { backend, certificate, edge, lifecycle, loose, marked, restriction, route } from "./support/manifests.ts";

function differences(saved: Plan, fresh: Plan): readonly string[] {
  return staleness(JSON.parse(JSON.stringify(saved)) as Plan, fresh).map(({ code, message, remedy }) => {
    expect(code).toBe("stale-plan");
    expect(remedy).toContain("plan again");
    return message;
  });
}

function stale(account: Account, saved: Plan, desired: readonly Manifest[]): readonly string[] {
  return differences(saved, account.plan(desired));
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
    expect(stale(account, plan, after)).toEqual([]);
  });

  it("when only an ignored field changed, a whole one or a member", () => {
    const account = new Account();
    const ignore = lifecycle({ ignore: ["spec.description", "spec.tls_termination.min_version"] });
    const desired = (extra: { readonly metadata?: string }): Manifest =>
      edge("e", { tls_termination: { terminate_at: "edge", min_version: "1.2" }, ...extra }, ignore);
    account.apply([desired({})]);
    const after = [desired({ metadata: "new" })];
    const plan = account.plan(after);
    account.meddle("TLSEdge/e", { description: "x", tls_termination: { terminate_at: "edge", min_version: "1.0" } });
    expect(stale(account, plan, after)).toEqual([]);
    account.meddle("TLSEdge/e", { tls_termination: { enabled: false, terminate_at: "edge" } });
    expect(stale(account, plan, after)).toHaveLength(1);
  });

  it("when a list came in another order with other computed members", () => {
    const account = new Account();
    account.apply([backend("a"), backend("b")]);
    const after = [backend("a", { status_code: 200 }), backend("b", { status_code: 200 })];
    const plan = account.plan(after);
    const live = account.live();
    const list = live.lists.HTTPResponseBackend.map((one) => ({ ...one, uri: "x", extra: 1 })).toReversed();
    account.live = () => ({ ...live, lists: { ...live.lists, HTTPResponseBackend: list } });
    expect(stale(account, plan, after)).toEqual([]);
  });
});

describe("a plan is stale", () => {
  it("when a resource that it changes was changed, and says what of it", () => {
    const account = new Account();
    account.apply([edge("e")]);
    const after = [edge("e", { description: "d" })];
    const plan = account.plan(after);
    account.meddle("TLSEdge/e", { hostports: ["x.example.com:443"] });
    expect(stale(account, plan, after)).toEqual(["TLSEdge/e spec.hostports was not in the plan but is needed now"]);
    account.meddle("TLSEdge/e", { hostports: ["e.example.com:443"], description: "c" });
    expect(stale(account, plan, after)).toEqual(['TLSEdge/e spec.description, what is live: "" in the plan, "c" now']);
  });

  it("when a marker was changed, taken off, or is somebody else's", () => {
    const account = new Account();
    const after = [edge("e", { description: "d" })];
    account.apply([edge("e")]);
    const plan = account.plan(after);
    account.meddle("TLSEdge/e", { metadata: marked("test", "e", { deletion: "protect" }) });
    expect(stale(account, plan, after)).toEqual(["TLSEdge/e metadata.marker was not in the plan but is needed now"]);
    account.meddle("TLSEdge/e", { metadata: marked("other", "e") });
    expect(stale(account, plan, after)).not.toEqual([]);
    expect(account.plan(after).refusals.map(({ code }) => code)).toEqual(["address-in-use"]);
  });

  it("when a manifest says something else, is gone or is new", () => {
    const account = new Account();
    account.apply([edge("e"), backend("b")]);
    const plan = account.plan([edge("e", { description: "d" }), backend("b")]);
    expect(differences(plan, account.plan([edge("e", { description: "x" }), backend("b")]))).toEqual([
      'TLSEdge/e spec.description, what is wanted: "d" in the plan, "x" now',
    ]);
    expect(differences(plan, account.plan([edge("e", { description: "d" })]))).toEqual([
      expect.stringMatching(/^delete of HTTPResponseBackend\/b \(bkdhr_\S+\) was not in the plan but is needed now$/u),
    ]);
    expect(differences(plan, account.plan([edge("e"), backend("b"), backend("c")]))).toEqual([
      "create of HTTPResponseBackend/c was not in the plan but is needed now",
      expect.stringMatching(/^update of TLSEdge\/e \(edgtls_\S+\) was in the plan but is not needed now$/u),
    ]);
  });

  it("when a resource that it changes or deletes is gone", () => {
    const account = new Account();
    account.apply([edge("e"), backend("gone")]);
    const after = [edge("e", { description: "d" })];
    const plan = account.plan(after);
    account.call("DELETE", account.path("HTTPResponseBackend/gone"));
    expect(stale(account, plan, after)).toEqual([expect.stringContaining("HTTPResponseBackend/gone")]);
    account.call("DELETE", account.path("TLSEdge/e"));
    expect(stale(account, plan, after)).toEqual([
      expect.stringContaining("create of TLSEdge/e was not in the plan"),
      expect.stringContaining("update of TLSEdge/e"),
      expect.stringContaining("HTTPResponseBackend/gone"),
    ]);
  });

  it("when a new resource carries the stack's marker", () => {
    const account = new Account();
    const plan = account.plan([backend("b")]);
    account.call("POST", "/backends/http_response", { status_code: 200, metadata: marked("test", "b") });
    expect(stale(account, plan, [backend("b")])).toHaveLength(2);
    account.call("POST", "/backends/http_response", { status_code: 200, metadata: marked("test", "c") });
    expect(stale(account, plan, [backend("b")]).join()).toContain("delete of HTTPResponseBackend/c");
  });

  it("when a secret that could be read then can't be now, and the other way round", () => {
    const account = new Account();
    const create = (key: Secret): Plan => account.plan([certificate("c", "AAAA", {}, { private_key_pem: key })]);
    const [known, unknown] = [create(Secret.of("k", "env K")), create(Secret.unavailable("env K", "not set"))];
    expect(unknown.unavailableSecrets).toEqual([{ address: "TLSCertificate/c", source: "env K" }]);
    expect(differences(known, unknown)).toEqual([
      expect.stringMatching(
        /^TLSCertificate\/c spec\.private_key_pem: .* in the plan, .*"unavailable":\["env K"\].* now$/u,
      ),
    ]);
    expect(differences(unknown, known)).toHaveLength(1);
    const desired = [certificate("c", "AAAA", {}, { private_key_pem: Secret.of("k", "env K") })];
    expect(differences(unknown, account.plan(withoutSecrets(desired, unknown.unavailableSecrets)))).toEqual([]);
  });

  const edits: readonly (readonly [string, (operation: Operation) => Operation])[] = [
    ["path", (one) => ({ ...one, path: "/edges/tls/edgtls_other" })],
    ["method", (one) => ({ ...one, method: "DELETE" })],
    ["body", (one) => ({ ...one, body: { description: "evil" } })],
    ["bind", (one) => ({ ...one, bind: { "/description": { secret: "TLSCertificate/c#private_key_pem" } } })],
    ["after", (one) => ({ ...one, after: ["op-9"] })],
    ["resourceId", (one) => ({ ...one, resourceId: "edgtls_other" })],
    ["handsOver", (one) => ({ ...one, handsOver: { restore: {}, takers: [] } })],
    ["temporary", (one) => ({ ...one, temporary: { restore: {}, takers: [] } })],
  ];
  it.each(edits)("when the %s of a request was edited", (_part, edit) => {
    const account = new Account();
    account.apply([edge("e")]);
    const plan = account.plan([edge("e", { description: "d" })]);
    const edited = { ...plan, operations: plan.operations.map(edit) };
    expect(differences(edited, plan)).toEqual([expect.stringMatching(`^op-1 of .* in the plan, .* now$`)]);
  });

  it.each<readonly [string, Partial<FieldChange>]>([
    ["before", { before: "x" }],
    ["after", { after: "x" }],
    ["impact", { impact: "none" }],
    ["unknown", { unknown: true }],
  ])("when %s of a field was edited", (_part, edit) => {
    const account = new Account();
    account.apply([edge("e")]);
    const plan = account.plan([edge("e", { description: "d" })]);
    const changes = plan.changes.map((one) => ({ ...one, fields: one.fields.map((field) => ({ ...field, ...edit })) }));
    expect(differences({ ...plan, changes }, plan)).toHaveLength(1);
    expect(differences(plan, { ...plan, changes })).toHaveLength(1);
  });
});

describe("a plan that was applied", () => {
  const route1 = "/edges/https/edghts_1/routes/edghtr_1";

  it.each<readonly [string, readonly Manifest[], readonly Manifest[]]>([
    ["creates", [], [backend("b")]],
    ["deletes", [backend("a"), backend("b")], [backend("b")]],
    [
      "swaps",
      [edge("a"), edge("b")],
      [edge("a", { hostports: ["b.example.com:443"] }), edge("b", { hostports: ["a.example.com:443"] })],
    ],
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
    expect(stale(account, plan, after)).toEqual([]);
    account.carryOut(plan);
    expect(stale(account, plan, after)).not.toEqual([]);
  });
});

describe("the remedy of a stale plan", () => {
  const remedies = (planned: string | null, current: string | null): readonly string[] => {
    const account = new Account();
    account.apply([backend("b")]);
    const saved = { ...account.plan([backend("b", { status_code: 200 })]), commit: planned };
    const fresh = { ...account.plan([backend("b")]), commit: current };
    return staleness(saved, fresh).map(({ remedy }) => remedy);
  };

  it("names both commits when another one is checked out, for example because the merge was forgotten", () => {
    expect(remedies("a".repeat(40), "b".repeat(40))).toEqual([
      "check out or merge commit aaaaaaaaaaaa, which was planned (bbbbbbbbbbbb is checked out), or plan again, review the new plan and apply that",
    ]);
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
  });
});
