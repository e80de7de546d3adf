import { describe, expect, it } from "vitest";
import type { Manifest } from "../../src/manifest/manifest.ts";
import { driftOf } from "../../src/plan/drift-findings.ts";
import { Account, bodyOf, changeOf, paths, warnings, writes } from "./support/account.ts";
import { address, backend, certificate, edge, lifecycle } from "./support/manifests.ts";

function replan(first: Manifest, second: Manifest): readonly string[] {
  const account = new Account();
  account.apply([first]);
  return account.plan([second]).changes.flatMap(paths);
}

describe("what inherits", () => {
  it.each<readonly [string, Manifest, Manifest]>([
    ["a region that is not named", address("x", { region: "eu" }), address("x")],
    [
      "an endpoint configuration that is not named",
      address("x", { endpoint_configuration: { id: "ec_1" } }),
      address("x"),
    ],
    [
      "min_version and terminate_at that are not named",
      edge("x", { tls_termination: { terminate_at: "edge", min_version: "1.3" } }),
      edge("x", { tls_termination: {} }),
    ],
  ])("%s stays as it is live", (_what, first, second) => {
    expect(replan(first, second)).toEqual([]);
  });

  it("keeps the live value in the writes too", () => {
    const account = new Account();
    account.apply([edge("x", { tls_termination: { terminate_at: "edge", min_version: "1.3" } })]);
    const plan = account.apply([edge("x", { tls_termination: { enabled: false } })]);
    expect(bodyOf(plan, "TLSEdge/x")).toEqual({ enabled: false, terminate_at: "edge", min_version: "1.3" });
  });
});

describe("what is declared beats what is inherited", () => {
  const authorities = { mutual_tls: { certificate_authorities: [{ id: "ca_1" }] } };
  const policy = { traffic_policy: { value: { on_tcp_connect: [{ actions: [{ type: "deny" }] }] } } };

  function flipped(desired: Manifest): Account {
    const account = new Account();
    account.apply([desired]);
    for (const module of ["mutual_tls", "traffic_policy"]) {
      if (desired.spec[module] !== undefined) account.call("DELETE", `${account.path("TLSEdge/x")}/${module}`);
    }
    account.call("PUT", `${account.path("TLSEdge/x")}/tls_termination`, { terminate_at: "upstream" });
    return account;
  }

  it.each<readonly [string, Manifest, readonly string[]]>([
    [
      "min_version",
      edge("x", { tls_termination: { min_version: "1.3" } }),
      ["spec.tls_termination.terminate_at", "spec.tls_termination.min_version"],
    ],
    [
      "mutual_tls",
      edge("x", { tls_termination: {}, ...authorities }),
      ["spec.mutual_tls", "spec.tls_termination.terminate_at"],
    ],
    [
      "all of them",
      edge("x", { tls_termination: { min_version: "1.3" }, ...authorities, ...policy }),
      [
        "spec.mutual_tls",
        "spec.tls_termination.terminate_at",
        "spec.tls_termination.min_version",
        "spec.traffic_policy",
      ],
    ],
  ])("TLS ends at the edge again when the manifest names %s and live says upstream", (what, desired, differing) => {
    const account = flipped(desired);
    const plan = account.apply([desired]);
    const change = changeOf(plan, "TLSEdge/x");
    expect(paths(change)).toEqual(differing);
    expect(change.fields.find(({ path }) => path.endsWith("terminate_at"))).toMatchObject({
      before: "upstream",
      after: "edge",
    });
    expect(change.notes.join()).toMatch(/terminate_at is "upstream" live, which rules out .*: it becomes "edge"/u);
    if (what !== "all of them") expect(change.notes.join()).toContain(what);
    expect(account.plan([desired])).toMatchObject({ changes: [], refusals: [] });
    expect(account.one("TLSEdge/x")["tls_termination"]).toMatchObject({ terminate_at: "edge" });
  });

  it("is said by drift, with the reason", () => {
    const desired = edge("x", { tls_termination: { min_version: "1.3" } });
    const account = flipped(desired);
    const options = { stack: "test", previousStacks: [], unmanaged: false, only: null, expiresWithinMs: null, now: 0 };
    const drift = driftOf(account.plan([desired], { judged: "drift" }), account.live(), options);
    expect(drift.findings).toMatchObject([{ address: "TLSEdge/x", type: "modified", impact: "security" }]);
    expect(drift.findings[0]?.message).toContain('terminate_at is "upstream" live');
  });

  it("does not touch upstream when nothing contradicts it", () => {
    const account = flipped(edge("x", { tls_termination: {} }));
    expect(account.plan([edge("x", { tls_termination: {} })]).changes).toEqual([]);
    expect(account.plan([edge("x", { tls_termination: { min_version: null } })]).changes).toEqual([]);
  });

  it("but ignored beats declared: what it rules out is refused", () => {
    const ignore = lifecycle({ ignore: ["spec.tls_termination.terminate_at"] });
    const version = edge("x", { tls_termination: { min_version: "1.3" } }, ignore);
    const plan = flipped(version).plan([version]);
    expect(plan).toMatchObject({ changes: [], refusals: [] });
    const mutual = edge("x", { tls_termination: {}, ...authorities }, ignore);
    const [refused] = flipped(mutual).plan([mutual]).refusals;
    expect(refused).toMatchObject({ code: "does-not-converge", message: expect.stringContaining("TLSEdge/x") });
    expect(refused?.remedy).toContain("what is live and contradicts it");
  });
});

describe("lifecycle.ignore", () => {
  it("leaves it alone in the writes, members of modules too", () => {
    const account = new Account();
    const ignore = lifecycle({ ignore: ["spec.tls_termination.min_version", "spec.description"] });
    const desired = (enabled: boolean): Manifest =>
      edge(
        "x",
        { description: "mine", tls_termination: { enabled, terminate_at: "edge", min_version: "1.2" } },
        ignore,
      );
    account.apply([desired(true)]);
    account.call("PUT", `${account.path("TLSEdge/x")}/tls_termination`, { terminate_at: "edge", min_version: "1.0" });
    account.meddle("TLSEdge/x", { description: "theirs" });
    const plan = account.apply([desired(false)]);
    expect(writes(plan)).toEqual([`PUT ${account.path("TLSEdge/x")}/tls_termination`]);
    expect(bodyOf(plan, "TLSEdge/x")).toEqual({ enabled: false, terminate_at: "edge", min_version: "1.0" });
    expect(account.one("TLSEdge/x")["description"]).toBe("theirs");
  });

  it("keeps a whole module, a certificate or the user's metadata", () => {
    const account = new Account();
    const ignoring = (path: string): ReturnType<typeof lifecycle> => lifecycle({ ignore: [path] });
    const desired = [
      edge("m", {}, ignoring("spec.mutual_tls")),
      edge("b", {}, ignoring("spec.backend")),
      certificate("c", "AAAA", ignoring("spec.certificate_pem")),
      backend("u", { metadata: { a: 1 } }, ignoring("spec.metadata")),
    ];
    account.apply(desired);
    const { id } = account.call("POST", "/backends/http_response", { status_code: 200 });
    account.meddle("TLSEdge/m", { mutual_tls: { certificate_authority_ids: ["ca_1"] } });
    account.meddle("TLSEdge/b", { backend: { backend_id: String(id) } });
    account.meddle("HTTPResponseBackend/u", {
      metadata: '{"edgewise":{"stack":"test","name":"u"},"theirs":true}',
    });
    const renewed = [
      ...desired.slice(0, 2),
      certificate("c", "BBBB", ignoring("spec.certificate_pem")),
      ...desired.slice(3),
    ];
    expect(account.plan(renewed)).toMatchObject({ changes: [], warnings: [] });
    const [m, , , u] = renewed;
    if (m === undefined || u === undefined) throw new Error("no manifests");
    const next = account.plan([
      { ...m, spec: { ...m.spec, description: "new" } },
      edge("b", { description: "new" }, ignoring("spec.backend")),
      ...renewed.slice(2, 3),
      { ...u, lifecycle: { ...u.lifecycle, deletion: "protect" } },
    ]);
    expect(bodyOf(next, "TLSEdge/m")).toEqual({ description: "new" });
    expect(bodyOf(next, "TLSEdge/b")).toEqual({ description: "new" });
    expect(warnings(next)).toEqual([]);
    expect(bodyOf(next, "HTTPResponseBackend/u")).toEqual({
      metadata: '{"edgewise":{"stack":"test","name":"u","deletion":"protect"},"theirs":true}',
    });
  });
});

describe("a reserved address that an edge serves", () => {
  it("may be named and stand there as text: it is served once", () => {
    const account = new Account();
    account.apply([address("a")]);
    const addr = String(account.one("ReservedAddress/a")["addr"]);
    const plan = account.apply([address("a"), edge("e", { hostports: [addr, { address: "a" }] })]);
    expect(bodyOf(plan, "TLSEdge/e")).toMatchObject({ hostports: [addr] });
    expect(account.plan([address("a"), edge("e", { hostports: [{ address: "a" }] })]).changes).toEqual([]);
  });
});
