import { describe, expect, it } from "vitest";
import type { Manifest } from "../../src/manifest/manifest.ts";
import { type Drift, type DriftOptions, driftOf } from "../../src/plan/drift-findings.ts";
import { Account } from "./support/account.ts";
import { backend, certificate, edge, lifecycle, marked } from "./support/manifests.ts";

const day = 86_400_000;

function drift(account: Account, desired: readonly Manifest[], options: Partial<DriftOptions> = {}): Drift {
  return driftOf(account.plan(desired), account.live(), {
    stack: "test",
    previousStacks: [],
    unmanaged: false,
    expiresWithinMs: null,
    now: Date.UTC(2030, 0, 1),
    ...options,
  });
}

describe("drift", () => {
  it("is none after an apply", () => {
    const account = new Account();
    account.apply([backend("b"), edge("e")]);
    expect(drift(account, [backend("b"), edge("e")])).toMatchObject({
      format: "edgewise.drift/v1",
      clean: true,
      findings: [],
    });
  });

  it("is told as modified, missing and unexpected", () => {
    const account = new Account();
    const desired = [backend("b"), edge("e"), backend("gone")];
    account.apply(desired);
    account.meddle("HTTPResponseBackend/b", { status_code: 200, body: "meddled" });
    account.call("DELETE", account.path("HTTPResponseBackend/gone"));
    const { id } = account.call("POST", "/backends/http_response", {
      status_code: 200,
      metadata: marked("test", "extra"),
    });
    const { findings, clean } = drift(account, desired);
    expect(clean).toBe(false);
    expect(findings.map(({ address, type, id: found }) => [address, type, found])).toEqual([
      ["HTTPResponseBackend/b", "modified", account.id("HTTPResponseBackend/b")],
      ["HTTPResponseBackend/extra", "unexpected", id],
      ["HTTPResponseBackend/gone", "missing", null],
    ]);
    const [modified] = findings;
    expect(modified?.fields.map(({ path, before, after }) => [path, before, after])).toEqual([
      ["spec.status_code", 200, 503],
      ["spec.body", "meddled", ""],
    ]);
    expect(modified?.message).toContain("spec.status_code, spec.body");
    expect(modified?.source).toEqual({ file: "edge/all.yaml", line: 1 });
  });

  it("calls what is about to be let go unexpected, and what would be adopted modified", () => {
    const account = new Account();
    account.apply([backend("b", {}, lifecycle({ deletion: "orphan" })), edge("e")]);
    const { id } = account.call("POST", "/backends/http_response", { status_code: 503 });
    const { findings } = drift(account, [edge("e"), backend("new", {}, { id: String(id) })]);
    expect(findings.map(({ address, type }) => [address, type])).toEqual([
      ["HTTPResponseBackend/b", "unexpected"],
      ["HTTPResponseBackend/new", "modified"],
    ]);
    expect(findings[1]?.message).toContain("without this stack's marker");
  });

  it("tells what nobody owns only when asked", () => {
    const account = new Account();
    account.apply([edge("e")]);
    account.apply([edge("theirs")], { stack: "other" });
    const { id } = account.call("POST", "/backends/http_response", { status_code: 503 });
    expect(drift(account, [edge("e")]).clean).toBe(true);
    expect(drift(account, [edge("e")], { unmanaged: true }).findings).toMatchObject([
      { type: "unmanaged", id, address: `HTTPResponseBackend/${String(id)}` },
    ]);
    // What a manifest adopts is no longer nobody's.
    const adopting = [edge("e"), backend("b", {}, { id: String(id) })];
    expect(drift(account, adopting, { unmanaged: true }).findings.map(({ type }) => type)).toEqual(["modified"]);
  });

  it("tells certificates that end soon, and how soon", () => {
    const account = new Account();
    account.apply([certificate("c", "AAAA")]);
    const ends = Date.UTC(2100, 0, 1);
    const at = (now: number, expiresWithinMs: number | null): Drift =>
      drift(account, [certificate("c", "AAAA")], { now, expiresWithinMs });
    expect(at(ends - 30 * day, null).clean).toBe(true);
    expect(at(ends - 31 * day, 30 * day).clean).toBe(true);
    expect(at(ends - 30 * day, 30 * day).findings).toMatchObject([{ type: "expiring", address: "TLSCertificate/c" }]);
    expect(at(ends - 30 * day, 30 * day).findings[0]?.message).toContain("expires in 30 days");
    expect(at(ends - day, 30 * day).findings[0]?.message).toContain("expires in 1 day (");
    expect(at(ends + 2 * day, 30 * day).findings[0]?.message).toContain("expired 2 days ago");
  });

  it("looks at certificates of others too: they serve the same traffic", () => {
    const account = new Account();
    const { id } = account.call("POST", "/tls_certificates", { certificate_pem: "x", private_key_pem: "k" });
    const { findings } = drift(account, [], { expiresWithinMs: 1000 * 365 * day });
    expect(findings).toMatchObject([{ type: "expiring", id, address: `TLSCertificate/${String(id)}` }]);
  });

  it("doesn't name a secret that can't be compared, though a replacement sends it", () => {
    const account = new Account();
    account.apply([certificate("c", "AAAA")]);
    const desired = [certificate("c", "BBBB")];
    const named = account.plan(desired).changes.flatMap(({ fields }) => fields.map(({ path }) => path));
    expect(named).toEqual(["spec.certificate_pem", "spec.private_key_pem"]);
    const options = { stack: "test", previousStacks: [], unmanaged: false, expiresWithinMs: null, now: 0 };
    const { findings } = driftOf(account.plan(desired, { judged: "drift" }), account.live(), options);
    expect(findings.map(({ fields, message }) => [fields.map(({ path }) => path), message])).toEqual([
      [["spec.certificate_pem"], expect.stringMatching(/differs from its manifest in spec\.certificate_pem$/u)],
    ]);
  });

  it("passes the plan's warnings on", () => {
    const account = new Account();
    account.call("POST", "/backends/http_response", { status_code: 503, metadata: '{"edgewise":1}' });
    expect(drift(account, []).warnings).toMatchObject([{ code: "malformed-marker" }]);
  });
});
