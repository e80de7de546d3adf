import { describe, expect, it } from "vitest";
import type { Manifest } from "../../src/manifest/manifest.ts";
import { driftOf } from "../../src/plan/drift-findings.ts";
import { Account, bodyOf, changeOf, paths, refusals, warnings, writes } from "./support/account.ts";
import { address, backend, certificate, edge, lifecycle, marked } from "./support/manifests.ts";

/** What is live after `first`, planned for with `second`. */
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

  it("is the same for a member that is null, which then has its default", () => {
    const account = new Account();
    const plan = account.apply([edge("x", { tls_termination: { enabled: null, terminate_at: null } })]);
    expect(plan.rehearsal).toMatchObject({ converges: true });
    expect(account.one("TLSEdge/x")["tls_termination"]).toMatchObject({ enabled: true });
    const live = account.live();
    const [wire] = live.lists.TLSEdge;
    const silent = { ...wire, tls_termination: { enabled: null, terminate_at: "edge", min_version: null } };
    account.live = () => ({ ...live, lists: { ...live.lists, TLSEdge: [silent] } });
    expect(account.plan([edge("x", { tls_termination: {} })]).changes).toEqual([]);
  });

  it("leaves to the service what nobody named yet", () => {
    const account = new Account();
    const plan = account.apply([edge("x", { tls_termination: {} }), address("a")]);
    expect(bodyOf(plan, "TLSEdge/x")).toMatchObject({ tls_termination: { enabled: true } });
    expect(bodyOf(plan, "ReservedAddress/a")).toEqual({ metadata: marked("test", "a"), region: "us" });
    expect(account.one("TLSEdge/x")["tls_termination"]).toMatchObject({ terminate_at: "edge", min_version: "1.2" });
  });

  it("has no minimum version to inherit with upstream", () => {
    const account = new Account();
    account.apply([edge("x", { tls_termination: { terminate_at: "edge", min_version: "1.3" } })]);
    const up = account.apply([edge("x", { tls_termination: { terminate_at: "upstream" } })]);
    // Left out, it could be inherited.
    expect(bodyOf(up, "TLSEdge/x")).toMatchObject({ terminate_at: "upstream", min_version: null });
    expect(account.one("TLSEdge/x")["tls_termination"]).toMatchObject({ terminate_at: "upstream", min_version: null });
    const down = account.apply([edge("x", { tls_termination: { terminate_at: "edge" } })]);
    expect(writes(down)).toHaveLength(1);
    expect(account.plan([edge("x", { tls_termination: { terminate_at: "edge" } })]).changes).toEqual([]);
  });

  it("of a region keeps the address where it is, but a new one is made in us", () => {
    const account = new Account();
    account.apply([address("x", { region: "jp" })]);
    expect(account.plan([address("x")]).changes).toEqual([]);
    expect(refusals(account.plan([address("x", { region: "us" })]))).toContain("deletion-protected");
  });
});

describe("what is declared beats what is inherited", () => {
  const authorities = { mutual_tls: { certificate_authorities: [{ id: "ca_1" }] } };
  const policy = { traffic_policy: { value: { on_tcp_connect: [{ actions: [{ type: "deny" }] }] } } };

  /** What is live after `desired` was applied and somebody let TLS pass through. */
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
      "traffic_policy",
      edge("x", { tls_termination: {}, ...policy }),
      ["spec.tls_termination.terminate_at", "spec.traffic_policy"],
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

  it("but ignored beats declared: what it rules out is refused, or told to have no effect", () => {
    const ignore = lifecycle({ ignore: ["spec.tls_termination.terminate_at"] });
    const version = edge("x", { tls_termination: { min_version: "1.3" } }, ignore);
    const plan = flipped(version).plan([version]);
    expect(plan).toMatchObject({ changes: [], refusals: [] });
    expect(plan.warnings).toMatchObject([{ code: "no-effect", address: "TLSEdge/x" }]);
    expect(plan.warnings[0]?.message).toContain("spec.tls_termination.min_version");
    const mutual = edge("x", { tls_termination: {}, ...authorities }, ignore);
    const [refused] = flipped(mutual).plan([mutual]).refusals;
    expect(refused).toMatchObject({ code: "contradicts-live", address: "TLSEdge/x" });
    expect(refused?.message).toContain("spec.tls_termination.terminate_at");
    expect(refused?.remedy).not.toContain("mistake in this program");
  });

  it("of an edge that ends TLS upstream and has a module all the same, changes nothing else is stopped", () => {
    const ignore = lifecycle({ ignore: ["spec.mutual_tls"] });
    const account = new Account();
    account.apply([edge("x", { tls_termination: { terminate_at: "upstream" } }, ignore)]);
    const live = account.live();
    const odd = { enabled: true, certificate_authorities: [{ id: "ca_1" }] };
    account.live = () => ({
      ...live,
      lists: { ...live.lists, TLSEdge: live.lists.TLSEdge.map((wire) => ({ ...wire, mutual_tls: odd })) },
    });
    const next = edge("x", { description: "new", tls_termination: { terminate_at: "upstream" } }, ignore);
    expect(account.plan([next]).refusals).toEqual([]);
  });
});

describe("lifecycle.ignore", () => {
  it("leaves the live value alone in the diff", () => {
    const account = new Account();
    const desired = edge("x", { description: "mine" }, lifecycle({ ignore: ["spec.description"] }));
    account.apply([desired]);
    account.meddle("TLSEdge/x", { description: "theirs" });
    expect(account.plan([desired]).changes).toEqual([]);
  });

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
    // A write of something else says no word of what is ignored either.
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

describe("a change shows", () => {
  it("both values in the manifest's own shape, with nothing of what stays", () => {
    const account = new Account();
    account.apply([backend("b"), edge("x", { description: "old", backend: { backend: { name: "b" } } })]);
    const id = account.id("HTTPResponseBackend/b");
    const plan = account.plan([
      backend("b"),
      edge("x", { description: "new", backend: { enabled: false, backend: { name: "b" } } }),
    ]);
    expect(changeOf(plan, "TLSEdge/x").fields).toMatchObject([
      { path: "spec.description", before: "old", after: "new" },
      { path: "spec.backend.enabled", before: true, after: false },
    ]);
    expect(id).not.toBe("");
  });

  it("that a value is known only after apply", () => {
    const plan = new Account().plan([
      backend("b"),
      address("a"),
      edge("x", { hostports: [{ address: "a" }], backend: { backend: { name: "b" } } }),
    ]);
    expect(changeOf(plan, "TLSEdge/x").fields).toMatchObject([
      { path: "spec.hostports", after: [{ address: "a" }], unknown: true },
      { path: "spec.backend", after: { backend: { name: "b" } }, unknown: true },
    ]);
    expect(changeOf(plan, "HTTPResponseBackend/b").fields.some((field) => field.unknown === true)).toBe(false);
  });

  it("a secret as a mask, marked as sensitive", () => {
    const change = changeOf(new Account().plan([certificate("c", "AAAA")]), "TLSCertificate/c");
    expect(change.fields.at(-1)).toMatchObject({
      path: "spec.private_key_pem",
      before: null,
      after: "(secret, env KEY)",
      sensitive: true,
    });
  });
});
