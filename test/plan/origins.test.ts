import { describe, expect, it } from "vitest";
import type { Manifest } from "../../src/manifest/manifest.ts";
import { annotateOrigins } from "../../src/plan/annotate-origins.ts";
import { hashPlan, type Origin, type Plan } from "../../src/plan/plan-format.ts";
import { Account, changeOf } from "./support/account.ts";
import { backend, edge, httpsEdge, route } from "./support/manifests.ts";

function origins(account: Account, atBase: readonly Manifest[], now: readonly Manifest[]): Plan {
  return annotateOrigins(account.plan(now), account.plan(atBase), { base: "abc123", now, atBase });
}

function byPath(plan: Plan, address: string): { readonly [path: string]: Origin | null | undefined } {
  return Object.fromEntries(changeOf(plan, address).fields.map(({ path, origin }) => [path, origin]));
}

describe("the origin of a field change", () => {
  it("is both where all three differ", () => {
    const account = new Account();
    account.apply([edge("e", { description: "base" })]);
    account.meddle("TLSEdge/e", { description: "meddled" });
    const plan = origins(account, [edge("e", { description: "base" })], [edge("e", { description: "branch" })]);
    expect(byPath(plan, "TLSEdge/e")).toEqual({ "spec.description": "both" });
  });

  it("is told field by field; a resource with several is both", () => {
    const account = new Account();
    account.apply([backend("b")]);
    account.meddle("HTTPResponseBackend/b", { body: "meddled" });
    const plan = origins(account, [backend("b")], [backend("b", { status_code: 200 })]);
    expect(byPath(plan, "HTTPResponseBackend/b")).toEqual({ "spec.status_code": "desired", "spec.body": "drift" });
    expect(changeOf(plan, "HTTPResponseBackend/b").origin).toBe("both");
  });

  it.each<readonly [string, Manifest, { readonly live: string | null }, Manifest, Origin]>([
    [
      "a module that live changed and the branch drops",
      edge("e", { traffic_policy: { value: '{"a":[]}' } }),
      { live: "{}" },
      edge("e"),
      "both",
    ],
    [
      "a module that live dropped and the branch changes",
      edge("e", { traffic_policy: { value: '{"a":[]}' } }),
      { live: null },
      edge("e", { traffic_policy: { value: '{"b":[]}' } }),
      "both",
    ],
    [
      "a module that the branch drops",
      edge("e", { traffic_policy: { value: "{}" } }),
      { live: "{}" },
      edge("e"),
      "desired",
    ],
  ])("knows modules as a whole: %s", (_what, base, { live }, branch, origin) => {
    const account = new Account();
    account.apply([base]);
    const path = `${account.path("TLSEdge/e")}/traffic_policy`;
    account.call("DELETE", path);
    if (live !== null) account.call("PUT", path, { value: live });
    expect(changeOf(origins(account, [base], [branch]), "TLSEdge/e").origin).toBe(origin);
  });
});

describe("the origin of a resource", () => {
  it("that the branch brings in or takes away is the branch", () => {
    const account = new Account();
    account.apply([edge("e")]);
    const added = origins(account, [edge("e")], [edge("e"), backend("new")]);
    expect(changeOf(added, "HTTPResponseBackend/new")).toMatchObject({ action: "create", origin: "desired" });
    const removed = origins(account, [edge("e"), backend("b")], [backend("b")]);
    expect(changeOf(removed, "TLSEdge/e")).toMatchObject({ action: "delete", origin: "desired" });
  });

  it("that somebody deleted is drift, or both when the branch changed it too", () => {
    const account = new Account();
    const plain = origins(account, [backend("b")], [backend("b")]);
    expect(changeOf(plain, "HTTPResponseBackend/b")).toMatchObject({ action: "create", origin: "drift" });
    const changed = origins(account, [backend("b")], [backend("b", { status_code: 200 })]);
    expect(changeOf(changed, "HTTPResponseBackend/b").origin).toBe("both");
  });

  it("that neither describes, but that carries the marker, is drift", () => {
    const account = new Account();
    account.apply([edge("e"), backend("b")]);
    const plan = origins(account, [edge("e")], [edge("e")]);
    expect(changeOf(plan, "HTTPResponseBackend/b")).toMatchObject({ action: "delete", origin: "drift" });
  });

  it("that the branch renames is followed to its former name", () => {
    const account = new Account();
    account.apply([backend("old")]);
    account.meddle("HTTPResponseBackend/old", { body: "meddled" });
    const plan = origins(account, [backend("old")], [backend("new", {}, { previousNames: ["old"] })]);
    expect(byPath(plan, "HTTPResponseBackend/new")).toEqual({ "metadata.marker": "desired", "spec.body": "drift" });
  });
});

describe("annotating", () => {
  it("changes no operation, names the base, and hashes anew", () => {
    const account = new Account();
    account.apply([edge("e")]);
    const bare = account.plan([edge("e", { description: "new" })]);
    const plan = origins(account, [edge("e")], [edge("e", { description: "new" })]);
    expect(plan.operations).toEqual(bare.operations);
    expect(plan.preconditions).toEqual(bare.preconditions);
    expect(plan.base).toBe("abc123");
    expect(plan.hash).not.toBe(bare.hash);
    expect(plan.hash).toBe(hashPlan(plan));
  });

  it("warns of HTTPS modules that the branch no longer names", () => {
    const account = new Account();
    account.watch("HTTPSEdgeRoute", "edghtr_1", "/edges/https/edghts_1/routes/edghtr_1");
    account.watch("HTTPSEdge", "edghts_1", "/edges/https/edghts_1");
    const atBase = [
      route("r", { traffic_policy: { value: "{}" }, webhook_verification: null }),
      httpsEdge("web", { tls_termination: { min_version: "1.3" } }),
    ];
    const dropped = origins(account, atBase, [route("r", {})]).warnings.filter(({ code }) => code === "module-dropped");
    expect(dropped.map(({ address }) => address)).toEqual(["HTTPSEdgeRoute/r", "HTTPSEdge/web"]);
    expect(dropped[0]?.message).toContain("write null to remove it");
    const kept = [route("renamed", { traffic_policy: null }), httpsEdge("web", { tls_termination: {} })];
    expect(origins(account, atBase, kept).warnings).toEqual([]);
  });
});
