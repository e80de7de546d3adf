import { describe, expect, it } from "vitest";
import { isObject } from "../../src/core/json.ts";
import type { Manifest } from "../../src/manifest/manifest.ts";
import { annotateOrigins } from "../../src/plan/annotate-origins.ts";
import { type Drift, type DriftOptions, driftOf } from "../../src/plan/drift-findings.ts";
import { Account, changeOf } from "./support/account.ts";
import { backend, certificate, edge, lifecycle, loose, marked } from "./support/manifests.ts";

const day = 86_400_000;

function drift(account: Account, desired: readonly Manifest[], options: Partial<DriftOptions> = {}): Drift {
  return driftOf(account.plan(desired), account.live(), {
    stack: "test",
    previousStacks: [],
    unmanaged: false,
    only: null,
    expiresWithinMs: null,
    now: Date.UTC(2030, 0, 1),
    ...options,
  });
}

describe("a live reference to something that is gone", () => {
  function dangling(): Account {
    const account = new Account({ deleteReferenced: "dangle" });
    account.apply([backend("b"), edge("e", { backend: { backend: { name: "b" } } })]);
    account.call("DELETE", account.path("HTTPResponseBackend/b"));
    return account;
  }
  const found = ({ findings }: Drift): string[] => findings.map(({ address, type }) => `${type} ${address}`).toSorted();

  it("dangles, whether the manifest names the backend, another one or none", () => {
    const desired = [backend("b"), edge("e", { backend: { backend: { name: "b" } } })];
    expect(found(drift(dangling(), desired))).toEqual([
      "dangling TLSEdge/e",
      "missing HTTPResponseBackend/b",
      "modified TLSEdge/e",
    ]);
    expect(found(drift(dangling(), [edge("e")]))).toEqual(["dangling TLSEdge/e", "modified TLSEdge/e"]);
  });

  it("dangles although the manifest refers to the same id, and names field and target", () => {
    const account = dangling();
    const wire = account.one("TLSEdge/e")["backend"];
    const id = isObject(wire) && isObject(wire["backend"]) ? String(wire["backend"]["id"]) : "";
    const desired = [edge("e", { backend: { backend: { id } } })];
    const { clean, findings } = drift(account, desired);
    expect(clean).toBe(false);
    expect(findings).toMatchObject([{ type: "dangling", address: "TLSEdge/e", impact: "routing" }]);
    expect(findings[0]?.message).toContain(`the HTTP response backend ${id} (spec.backend), which is gone`);
    const options = { stack: "test", previousStacks: [], unmanaged: false, only: null, expiresWithinMs: null, now: 0 };
    const allowed = account.plan(desired, { allow: ["TLSEdge/e"] });
    expect(driftOf(allowed, account.live(), options).findings).toEqual([]);
    account.apply([...desired, edge("f")], { allow: ["TLSEdge/e"] });
    const only = ["TLSEdge/f"] as const;
    const selected = account.plan([...desired, edge("f")], { only });
    expect(driftOf(selected, account.live(), { ...options, only }).findings).toEqual([]);
  });
});

describe("a reserved address that is gone", () => {
  it("takes its traffic with it", () => {
    const account = new Account();
    account.apply([loose("a")]);
    account.call("DELETE", account.path("ReservedAddress/a"));
    const gone = changeOf(account.plan([loose("a")], { judged: "drift" }), "ReservedAddress/a");
    expect(gone).toMatchObject({ action: "create", impact: "routing" });
    expect(changeOf(account.plan([loose("a")]), "ReservedAddress/a").impact).toBe("none");
  });
});

function driftSince(account: Account, atBase: readonly Manifest[], now: readonly Manifest[]): Drift {
  const options = { judged: "drift" } as const;
  const judged = annotateOrigins(account.plan(now, options), account.plan(atBase, options), {
    base: "abc123",
    now,
    atBase,
  });
  return driftOf(judged, account.live(), {
    stack: "test",
    previousStacks: [],
    unmanaged: false,
    expiresWithinMs: null,
    now: 0,
    unapplied: account.plan(now).changes,
  });
}

const typesOf = ({ findings }: Drift) => findings.map(({ address, type }) => `${address} ${type}`);

describe("drift since the commit that was applied last", () => {
  it("has nothing of what the manifests alone changed: that is pending", () => {
    const account = new Account();
    const base = [
      backend("b", { body: "old" }),
      backend("gone"),
      backend("kept", {}, lifecycle({ deletion: "orphan" })),
    ];
    account.apply(base);
    const now = [backend("b", { body: "new" }), backend("added")];
    const drift = driftSince(account, base, now);
    expect(drift).toMatchObject({ clean: true, base: "abc123" });
    expect(typesOf(drift)).toEqual([
      "HTTPResponseBackend/added pending",
      "HTTPResponseBackend/b pending",
      "HTTPResponseBackend/gone pending",
      "HTTPResponseBackend/kept pending",
    ]);
    expect(drift.findings.map(({ message }) => message)).toEqual([
      expect.stringContaining("the next one creates it"),
      expect.stringMatching(/b \(bkdhr_\S+\) was changed in its manifest since the last apply: spec\.body/u),
      expect.stringContaining("the next one deletes it"),
      expect.stringContaining("the next one no longer manages it"),
    ]);
  });

  it("tells both of one resource, each with its own fields", () => {
    const account = new Account();
    account.apply([backend("b", { body: "old" })]);
    account.meddle("HTTPResponseBackend/b", { status_code: 200 });
    const { clean, findings } = driftSince(account, [backend("b", { body: "old" })], [backend("b", { body: "new" })]);
    expect(clean).toBe(false);
    expect(findings.map(({ type, fields }) => [type, fields.map(({ path }) => path)])).toEqual([
      ["modified", ["spec.status_code"]],
      ["pending", ["spec.body"]],
    ]);
  });

  it("is what somebody changed or deleted, although it was changed in Git too", () => {
    const account = new Account();
    const base = [backend("b", { body: "old" }), backend("c"), backend("d")];
    account.apply(base);
    account.meddle("HTTPResponseBackend/b", { body: "meddled" });
    account.call("DELETE", account.path("HTTPResponseBackend/c"));
    account.meddle("HTTPResponseBackend/d", { body: "meddled" });
    const drift = driftSince(account, base, [backend("b", { body: "new" }), backend("c", { body: "new" })]);
    expect(drift.clean).toBe(false);
    expect(typesOf(drift)).toEqual([
      "HTTPResponseBackend/b modified",
      "HTTPResponseBackend/c missing",
      "HTTPResponseBackend/d modified",
      "HTTPResponseBackend/d pending",
    ]);
    expect(drift.findings[2]?.message).toContain("which was removed since the last apply");
  });
});

describe("drift", () => {
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
});
