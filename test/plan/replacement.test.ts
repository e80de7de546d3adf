import { describe, expect, it } from "vitest";
import type { Manifest } from "../../src/manifest/manifest.ts";
import type { PlanOptions } from "../../src/plan/plan-context.ts";
import { Account, changeOf, operationsOf, paths, refusals, writes } from "./support/account.ts";
import { address, certificate, edge, lifecycle, loose, marked, restriction } from "./support/manifests.ts";

const allowed: Partial<PlanOptions> = { allow: ["ReservedAddress/tcp", "IPRestriction/r"] };

function cut(account: Account, desired: readonly Manifest[], limit: number, options: Partial<PlanOptions> = {}): void {
  const plan = account.plan(desired, options);
  expect(plan.refusals).toEqual([]);
  expect(account.run(plan, () => 0, limit).troubles).toEqual([]);
}

describe("a field that can't be changed in place", () => {
  it("type of an IP restriction: create, then delete the old one", () => {
    const account = new Account();
    account.apply([restriction("r", { type: "agent" })]);
    const old = account.id("IPRestriction/r");
    const plan = account.apply([restriction("r", { type: "endpoints" })]);
    expect(changeOf(plan, "IPRestriction/r")).toMatchObject({ action: "replace", id: old, impact: "security" });
    expect(paths(changeOf(plan, "IPRestriction/r"))).toEqual(["spec.type"]);
    expect(writes(plan)).toEqual(["POST /ip_restrictions", `DELETE /ip_restrictions/${old}`]);
    expect(plan.summary).toMatchObject({ replace: 1, create: 0, delete: 0 });
  });

  it("region of an address: its edge is re-pointed in between", () => {
    const account = new Account();
    const serving = edge("e", { hostports: ["e.example.com:443", { address: "tcp" }] });
    account.apply([loose("tcp", { region: "us" }), serving]);
    const old = account.id("ReservedAddress/tcp");
    const plan = account.apply([loose("tcp", { region: "eu" }), serving], allowed);
    expect(plan.operations.map(({ method, address: name }) => `${method} ${name}`)).toEqual([
      "POST ReservedAddress/tcp",
      "PATCH TLSEdge/e",
      "DELETE ReservedAddress/tcp",
    ]);
    expect(operationsOf(plan, "TLSEdge/e")[0]?.bind).toEqual({
      "/hostports/1": { address: "ReservedAddress/tcp", part: "addr" },
    });
    expect(plan.operations[2]?.waits).toMatchObject({ "op-1": "same", "op-2": "unuse" });
    expect(account.list("ReservedAddress").map(({ id }) => id)).not.toContain(old);
    expect(account.one("TLSEdge/e")["hostports"]).toContain(account.one("ReservedAddress/tcp")["addr"]);
  });

  it("chain of a certificate: the old one is let go, as something unseen may use it", () => {
    const account = new Account();
    account.apply([certificate("c", "AAAA", {}, { metadata: { team: "a" } })]);
    const old = account.id("TLSCertificate/c");
    const plan = account.apply([certificate("c", "BBBB", {}, { metadata: { team: "a" } })]);
    expect(writes(plan)).toEqual(["POST /tls_certificates", `PATCH /tls_certificates/${old}`]);
    expect(plan.operations[1]?.body).toEqual({ metadata: '{"team":"a"}' });
    expect(account.list("TLSCertificate")).toHaveLength(2);
    expect(account.id("TLSCertificate/c")).not.toBe(old);
  });

  it("names the old one in the new one's marker, until the next metadata write after it is gone", () => {
    const account = new Account();
    account.apply([restriction("r", { type: "agent" })]);
    const replaces = account.id("IPRestriction/r");
    account.apply([restriction("r", { type: "endpoints" })]);
    expect(account.one("IPRestriction/r")["metadata"]).toBe(marked("test", "r", { replaces }));
    expect(account.plan([restriction("r", { type: "endpoints" })]).changes).toEqual([]);
    account.apply([restriction("r", { type: "endpoints", metadata: { a: 1 } })]);
    expect(account.one("IPRestriction/r")["metadata"]).toBe('{"edgewise":{"stack":"test","name":"r"},"a":1}');
  });

  it.each([["delete", "DELETE"]] as const)("replaced: %s ends it with a %s", (replaced, method) => {
    const account = new Account();
    const policy = lifecycle({ replaced });
    account.apply([certificate("c", "AAAA", policy), restriction("r", { type: "agent" }, policy)]);
    const plan = account.apply([certificate("c", "BBBB", policy), restriction("r", { type: "endpoints" }, policy)]);
    expect(operationsOf(plan, "TLSCertificate/c").map((one) => one.method)).toEqual(["POST", method]);
    expect(operationsOf(plan, "IPRestriction/r").map((one) => one.method)).toEqual(["POST", method]);
  });
});

describe("a replacement that was cut short", () => {
  const before = restriction("r", { type: "agent" });
  const after = restriction("r", { type: "endpoints" });

  const half = (): { readonly account: Account; readonly old: string; readonly made: string } => {
    const account = new Account();
    account.apply([before]);
    const old = account.id("IPRestriction/r");
    cut(account, [after], 1);
    const made = String(account.all("IPRestriction/r").find(({ id }) => id !== old)?.["id"]);
    return { account, old, made };
  };

  it("is finished: the old one goes", () => {
    const { account, old, made } = half();
    const plan = account.apply([after]);
    expect(writes(plan)).toEqual([`DELETE /ip_restrictions/${old}`]);
    expect(changeOf(plan, "IPRestriction/r")).toMatchObject({ action: "replace", id: old });
    expect(changeOf(plan, "IPRestriction/r").notes.join()).toContain("interrupted");
    expect(account.id("IPRestriction/r")).toBe(made);
  });

  it("is taken back when the manifest was: the new one goes", () => {
    const { account, old, made } = half();
    const plan = account.apply([before]);
    expect(writes(plan)).toEqual([`DELETE /ip_restrictions/${made}`]);
    expect(account.id("IPRestriction/r")).toBe(old);
    expect(account.plan([before])).toMatchObject({ changes: [], warnings: [] });
  });

  it("still inherits what a create doesn't take from the old one, which had another name", () => {
    const account = new Account();
    account.apply([loose("old", { region: "us", endpoint_configuration: { id: "ec_1" } })]);
    const renamed = { ...loose("new", { region: "eu" }), previousNames: ["old"] };
    const allow = ["ReservedAddress/old", "ReservedAddress/new"];
    cut(account, [renamed], 1, { allow });
    account.apply([renamed], { allow });
    expect(account.list("ReservedAddress")).toMatchObject([{ endpoint_configuration: { id: "ec_1" } }]);
  });

  it("goes on to a third value: the newest is replaced, and both go", () => {
    const { account } = half();
    const third = restriction("r", { type: "dashboard" });
    const plan = account.apply([third]);
    expect(plan.operations.map(({ method }) => method)).toEqual(["POST", "DELETE", "DELETE"]);
    expect(account.list("IPRestriction")).toHaveLength(1);
    expect(account.plan([third]).changes).toEqual([]);
  });

  it.each([1, 2])("goes on to a third value and is cut again after %d writes: nothing becomes a twin", (limit) => {
    const { account } = half();
    const third = restriction("r", { type: "dashboard" });
    cut(account, [third], limit);
    const plan = account.plan([third]);
    expect(refusals(plan)).toEqual([]);
    account.carryOut(plan);
    expect(account.list("IPRestriction")).toMatchObject([{ type: "dashboard" }]);
  });
});

describe("a replacement under guards", () => {
  it("of an address is refused twice over: protected by default, and irreversible", () => {
    const account = new Account();
    account.apply([address("tcp", { region: "us" })]);
    expect(refusals(account.plan([address("tcp", { region: "eu" })]))).toEqual(["deletion-protected", "irreversible"]);
    expect(refusals(account.plan([address("tcp", { region: "eu" })], allowed))).toEqual([]);
  });

  it("that deletes counts as a delete", () => {
    const account = new Account();
    account.apply([restriction("r", { type: "agent" })]);
    expect(refusals(account.plan([restriction("r", { type: "endpoints" })], { maxDeletes: { count: 0 } }))).toEqual([
      "too-many-deletes",
    ]);
  });
});
