import { describe, expect, it } from "vitest";
import { Account, changeOf, operationsOf, refusal, refusals, warnings, writes } from "./support/account.ts";
import { address, backend, edge, lifecycle, marked, restriction } from "./support/manifests.ts";

describe("a marker that is no marker", () => {
  it.each([
    ["a string", { edgewise: "x" }],
    ["an empty name", { edgewise: { stack: "test", name: "" } }],
    ["an unknown policy", { edgewise: { stack: "test", name: "x", deletion: "never" } }],
  ])("(%s) makes the resource nobody's, with a warning", (_what, metadata) => {
    const account = new Account();
    const { id } = account.call("POST", "/backends/http_response", {
      status_code: 503,
      metadata: JSON.stringify(metadata),
    });
    const plan = account.plan([backend("y")]);
    expect(plan.changes.map(({ action }) => action)).toEqual(["create"]);
    expect(plan.warnings).toMatchObject([{ code: "malformed-marker", address: `HTTPResponseBackend/${String(id)}` }]);
  });
});

describe("several live resources with one name", () => {
  const twins = (): Account => {
    const account = new Account();
    account.apply([backend("x")]);
    account.call("POST", "/backends/http_response", { status_code: 503, metadata: marked("test", "x") });
    return account;
  };

  it("are refused with their ids when nothing links them", () => {
    const account = twins();
    const found = refusal(account.plan([backend("x")]));
    expect(found).toMatchObject({ code: "duplicate-marker", address: "HTTPResponseBackend/x" });
    for (const { id } of account.all("HTTPResponseBackend/x")) expect(found.message).toContain(String(id));
  });

  it("leave the older when allowed", () => {
    const account = twins();
    const [newer, older] = account.all("HTTPResponseBackend/x");
    const plan = account.apply([backend("x")], { allow: ["HTTPResponseBackend/x"] });
    expect(writes(plan)).toEqual([`DELETE /backends/http_response/${String(newer?.["id"])}`]);
    expect(account.id("HTTPResponseBackend/x")).toBe(older?.["id"]);
    expect(warnings(plan)).toContain("allowed-duplicate-marker");
  });

  it("leave the one that is referred to, although it is the newer", () => {
    const account = twins();
    const [newer, older] = account.all("HTTPResponseBackend/x");
    account.call("POST", "/edges/tls", {
      hostports: ["a.example.com:443"],
      backend: { backend_id: String(newer?.["id"]) },
    });
    const plan = account.apply([backend("x")], { allow: ["HTTPResponseBackend/x"] });
    expect(writes(plan)).toEqual([`DELETE /backends/http_response/${String(older?.["id"])}`]);
  });

  it("leave the one that need not be replaced, and none but it when all must be", () => {
    const account = new Account();
    account.apply([restriction("x", { type: "dashboard" })]);
    account.call("POST", "/ip_restrictions", {
      type: "agent",
      enforced: true,
      ip_policy_ids: ["ipp_1"],
      metadata: marked("test", "x"),
    });
    const [newer] = account.all("IPRestriction/x");
    const allow = ["IPRestriction/x"];
    expect(account.plan([restriction("x")], { allow }).operations).toHaveLength(1);
    expect(account.all("IPRestriction/x")[0]).toEqual(newer);
    account.apply([restriction("x", { type: "endpoints" })], { allow });
    expect(account.one("IPRestriction/x")).toMatchObject({ type: "endpoints" });
  });
});

describe("a marker that somebody wiped", () => {
  it("stops the planner from making a second one beside it", () => {
    const account = new Account();
    const desired = [backend("x"), edge("api", { backend: { backend: { name: "x" } } })];
    account.apply(desired);
    const id = account.id("HTTPResponseBackend/x");
    account.meddle("HTTPResponseBackend/x", { metadata: "" });
    const found = refusal(account.plan(desired));
    expect(found).toMatchObject({ code: "ownership-lost", address: "HTTPResponseBackend/x" });
    expect(found.message).toContain("TLSEdge/api");
    expect(found.remedy).toContain(`metadata: {id: ${id}}`);
    const [, api] = desired;
    if (api === undefined) throw new Error("no edge");
    expect(changeOf(account.plan([backend("x", {}, { id }), api]), "HTTPResponseBackend/x").action).toBe("adopt");
  });

  it("is noticed for reserved addresses by their addr", () => {
    const account = new Account();
    const desired = [address("tcp"), edge("api", { hostports: [{ address: "tcp" }] })];
    account.apply(desired);
    account.meddle("ReservedAddress/tcp", { metadata: "" });
    expect(refusals(account.plan(desired))).toEqual(["ownership-lost"]);
  });
});

describe("the marker in metadata", () => {
  const metadataOf = (metadata: Parameters<typeof backend>[1] = {}): unknown => {
    const account = new Account();
    account.apply([backend("x", metadata)]);
    return account.one("HTTPResponseBackend/x")["metadata"];
  };

  it("stands first, compact, before the user's own members in their order", () => {
    expect(metadataOf({ metadata: { zebra: 1, apple: { b: [1, 2], a: null } } })).toBe(
      '{"edgewise":{"stack":"test","name":"x"},"zebra":1,"apple":{"b":[1,2],"a":null}}',
    );
    expect(metadataOf({ metadata: { "1": "one", b: 2 } })).toBe(
      '{"edgewise":{"stack":"test","name":"x"},"1":"one","b":2}',
    );
  });

  it("holds the policies that must outlive the manifest, when they are not the kind's default", () => {
    const account = new Account();
    account.apply([
      backend("kept", {}, lifecycle({ deletion: "protect" })),
      backend("plain", {}, lifecycle({ deletion: "delete", replaced: "delete" })),
      address("addr", {}, lifecycle({ deletion: "protect" })),
      address("loose", {}, lifecycle({ deletion: "orphan" })),
      restriction("agents", {}, lifecycle({ replaced: "orphan" })),
    ]);
    expect(account.one("HTTPResponseBackend/kept")["metadata"]).toBe(marked("test", "kept", { deletion: "protect" }));
    expect(account.one("HTTPResponseBackend/plain")["metadata"]).toBe(marked("test", "plain"));
    expect(account.one("ReservedAddress/addr")["metadata"]).toBe(marked("test", "addr"));
    expect(account.one("ReservedAddress/loose")["metadata"]).toBe(marked("test", "loose", { deletion: "orphan" }));
    expect(account.one("IPRestriction/agents")["metadata"]).toBe(marked("test", "agents", { replaced: "orphan" }));
  });

  it("is taken off by orphan, which leaves the user's metadata as it was", () => {
    const account = new Account();
    const orphan = lifecycle({ deletion: "orphan" });
    account.apply([
      backend("map", { metadata: { b: 1, a: 2 } }, orphan),
      backend("none", {}, orphan),
      backend("text", { metadata: "words" }, orphan),
    ]);
    const ids = ["map", "none", "text"].map((name) => account.id(`HTTPResponseBackend/${name}`));
    const plan = account.apply([], { allowEmpty: true });
    expect(plan.summary).toMatchObject({ orphan: 3, delete: 0 });
    expect(plan.operations.map(({ method, body }) => [method, body])).toEqual([
      ["PATCH", { metadata: '{"b":1,"a":2}' }],
      ["PATCH", { metadata: "" }],
      ["PATCH", { metadata: "words" }],
    ]);
    expect(account.list("HTTPResponseBackend").map(({ id }) => id)).toEqual(expect.arrayContaining(ids));
    expect(account.plan([])).toMatchObject({ changes: [], refusals: [] });
    expect(operationsOf(plan, "HTTPResponseBackend/none")).toHaveLength(1);
  });
});
