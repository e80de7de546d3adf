import { describe, expect, it } from "vitest";
import { exitCodeOf } from "../../src/apply/result.ts";
import type { PlanOptions } from "../../src/plan/plan-context.ts";
import { Account } from "../plan/support/account.ts";
import { backend, edge, loose, restriction } from "../plan/support/manifests.ts";
import { applyToAccount } from "./support/apply-to-account.ts";

const permissive: Partial<PlanOptions> = { allowEmpty: true, maxDeletes: { count: 9 } };

async function applyAfter(account: Account, desired: Parameters<Account["plan"]>[0], meanwhile: () => void) {
  const plan = account.plan(desired, { ...permissive, allow: ["ReservedAddress/tcp"] });
  expect(plan.refusals).toEqual([]);
  meanwhile();
  const report = await applyToAccount(account, plan);
  const skipped = report.operations.filter(({ status }) => status === "skipped");
  const codes = report.warnings.map(({ address, code }) => `${code} ${address}`);
  return { ...report, skipped, codes, exit: exitCodeOf({ ...report, verified: null }) };
}

describe("what somebody changed after the plan was made", () => {
  it("is not deleted, and the rest is done", async () => {
    const account = new Account();
    account.apply([backend("kept"), backend("gone"), restriction("r", { type: "agent" })]);
    const kept = account.id("HTTPResponseBackend/kept");
    const done = await applyAfter(account, [], () =>
      account.call("PATCH", `/backends/http_response/${kept}`, { description: "still needed" }),
    );
    expect(done).toMatchObject({ outcome: "partial", exit: 3, codes: ["changed-meanwhile HTTPResponseBackend/kept"] });
    expect(done.skipped).toMatchObject([{ address: "HTTPResponseBackend/kept" }]);
    expect(done.skipped[0]?.error).toContain("changed-meanwhile");
    expect(account.list("HTTPResponseBackend").map(({ id }) => id)).toEqual([kept]);
    expect(account.list("IPRestriction")).toEqual([]);
  });

  it("leads to exit 3 even when nothing else was to be done", async () => {
    const account = new Account();
    account.apply([restriction("r", { type: "agent" })]);
    const path = `/ip_restrictions/${account.id("IPRestriction/r")}`;
    const done = await applyAfter(account, [], () => account.call("PATCH", path, { metadata: "mine now" }));
    expect(done).toMatchObject({ exit: 3, codes: ["changed-meanwhile IPRestriction/r"] });
    expect(account.list("IPRestriction")).toHaveLength(1);
  });

  it("is not deleted when it is referred to by somebody new", async () => {
    const account = new Account();
    account.apply([backend("b"), loose("tcp")]);
    const { id } = account.one("HTTPResponseBackend/b");
    const { addr } = account.one("ReservedAddress/tcp");
    const done = await applyAfter(account, [], () =>
      account.call("POST", "/edges/tls", { hostports: [addr ?? ""], backend: { backend_id: id ?? "" } }),
    );
    expect(done).toMatchObject({
      exit: 3,
      codes: ["changed-meanwhile ReservedAddress/tcp", "changed-meanwhile HTTPResponseBackend/b"],
    });
    expect(account.list("HTTPResponseBackend")).toHaveLength(1);
  });

  it("keeps a module, and the old one of a replacement", async () => {
    const account = new Account();
    const tls = { min_version: "1.2" };
    const full = edge("e", {
      hostports: ["e.example.com:443"],
      mutual_tls: { certificate_authorities: [{ id: "ca_1" }] },
    });
    account.apply([full, restriction("r", { type: "agent" })]);
    const [edgeId, old] = [account.id("TLSEdge/e"), account.id("IPRestriction/r")];
    const desired = [
      edge("e", { hostports: ["e.example.com:443"], tls_termination: tls }),
      restriction("r", { type: "endpoints" }),
    ];
    const done = await applyAfter(account, desired, () => {
      account.call("PUT", `/edges/tls/${edgeId}/mutual_tls`, { enabled: true, certificate_authority_ids: ["ca_2"] });
      account.call("PATCH", `/ip_restrictions/${old}`, { description: "in use" });
    });
    expect(done.codes.toSorted()).toEqual(["changed-meanwhile IPRestriction/r", "changed-meanwhile TLSEdge/e"]);
    expect(account.one("TLSEdge/e")["mutual_tls"]).toMatchObject({ certificate_authorities: [{ id: "ca_2" }] });
    expect(account.list("IPRestriction")).toHaveLength(2);
  });

  it("is not deleted when the response says nothing of it", async () => {
    const account = new Account();
    account.apply([restriction("r", { type: "agent" })]);
    const report = await applyToAccount(account, account.plan([], permissive), { isHollow: true });
    expect(report.warnings).toMatchObject([{ code: "changed-meanwhile" }]);
    expect(account.list("IPRestriction")).toHaveLength(1);
  });

  it("does not stop the delete of what is gone already", async () => {
    const account = new Account();
    account.apply([restriction("r", { type: "agent" })]);
    const path = `/ip_restrictions/${account.id("IPRestriction/r")}`;
    expect(await applyAfter(account, [], () => account.call("DELETE", path))).toMatchObject({ exit: 0, codes: [] });
  });
});
