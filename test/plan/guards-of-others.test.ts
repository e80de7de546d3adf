import { describe, expect, it } from "vitest";
import type { Manifest } from "../../src/manifest/manifest.ts";
import { Account, refusal, refusals, warnings } from "./support/account.ts";
import { address, backend, certificate, edge, lifecycle, loose, marked, restriction } from "./support/manifests.ts";

const backends = (count: number): Manifest[] => Array.from({ length: count }, (_, index) => backend(`b${index}`));

describe("address-in-use", () => {
  it("shows the line that would adopt the edge that nobody owns", () => {
    const account = new Account();
    const { id } = account.call("POST", "/edges/tls", { hostports: ["api.example.com:443"] });
    const desired = [edge("api")];
    const found = refusal(account.plan(desired, { allow: ["TLSEdge/api"] }));
    expect(found).toMatchObject({ code: "address-in-use", address: "TLSEdge/api" });
    expect(found.message).toContain("api.example.com:443");
    expect(found.remedy).toContain(`metadata: {id: ${String(id)}}`);
  });

  it("names the stack that serves it, and the line that would take it over", () => {
    const account = new Account();
    account.apply([edge("theirs", { hostports: ["API.example.com:443"] })], { stack: "other" });
    const found = refusal(account.plan([edge("api")]));
    expect(found.code).toBe("address-in-use");
    expect(found.message).toContain('"other"');
    expect(found.remedy).toContain('"other"');
    expect(found.remedy).toContain(
      `or take that TLS edge over: write \`metadata: {id: ${account.id("TLSEdge/theirs")}}\``,
    );
  });

  it("fires for updates, and for an owned edge outside of this run", () => {
    const account = new Account();
    account.apply([edge("a"), edge("b")]);
    const taking = edge("b", { hostports: ["a.example.com:443"] });
    const found = refusal(account.plan([taking], { prune: false }));
    expect(found).toMatchObject({ code: "address-in-use", address: "TLSEdge/b" });
    expect(found.remedy).toContain("a");
    expect(refusals(account.plan([taking]))).toEqual([]);
  });

  it("tells of an edge that is let go and goes on serving", () => {
    const account = new Account();
    account.apply([edge("free", {}, lifecycle({ deletion: "orphan" }))]);
    const found = refusal(account.plan([edge("new", { hostports: ["free.example.com:443"] })]));
    expect(found).toMatchObject({ code: "address-in-use", address: "TLSEdge/new" });
    expect(found.remedy).toContain("lifecycle.deletion: delete");
  });
});

describe("still-referenced", () => {
  it("refuses to delete a backend that a foreign edge uses", () => {
    const account = new Account();
    account.apply([backend("b"), edge("e")]);
    const { id } = account.call("POST", "/edges/tls", {
      hostports: ["foreign.example.com:443"],
      backend: { backend_id: account.id("HTTPResponseBackend/b") },
    });
    const found = refusal(account.plan([edge("e")]));
    expect(found).toMatchObject({ code: "still-referenced", address: "HTTPResponseBackend/b" });
    expect(found.message).toContain(String(id));
    expect(found.message).toContain("no stack owns");
    expect(found.remedy).toContain("api.moduleEndpoints");
    const allowed = account.plan([edge("e")], { allow: ["HTTPResponseBackend/b"] });
    expect(allowed).toMatchObject({ refusals: [], rehearsal: { converges: true } });
  });

  it("refuses to delete a backend that a module still names, which can only be disabled", () => {
    const account = new Account();
    account.apply([backend("b"), edge("e", { backend: { backend: { name: "b" } } })]);
    const found = refusal(account.plan([edge("e")]));
    expect(found).toMatchObject({ code: "still-referenced", address: "HTTPResponseBackend/b" });
    expect(found.message).toContain("TLSEdge/e");
    expect(refusals(account.plan([edge("e")], { moduleEndpoints: ["backend"] }))).toEqual([]);
    expect(refusals(account.plan([backend("c"), edge("e", { backend: { backend: { name: "c" } } })]))).toEqual([]);
    expect(refusals(account.plan([backend("other")]))).toEqual([]);
  });

  it("warns of referrers that the API can't list, for backends and certificates", () => {
    const account = new Account();
    account.apply([backend("b"), certificate("c", "AAAA"), restriction("r"), edge("gone"), edge("e")]);
    const plan = account.plan([edge("e")], { maxDeletes: { count: 9 } });
    expect(plan.warnings.map(({ code, address: name }) => [code, name])).toEqual([
      ["referrers-invisible", "HTTPResponseBackend/b"],
      ["referrers-invisible", "TLSCertificate/c"],
    ]);
  });

  const withoutEdges = (account: Account): void => {
    const live = account.live();
    const unreadable = [{ kind: "TLSEdge", status: 403 }] as const;
    account.live = () => ({ ...live, lists: { ...live.lists, TLSEdge: [] }, unreadable });
  };

  it("leaves backends and addresses alone when edges can't be read", () => {
    const account = new Account();
    account.apply([backend("b"), loose("a"), restriction("r"), certificate("c", "AAAA")]);
    withoutEdges(account);
    const plan = account.plan([certificate("c", "AAAA")]);
    expect(plan.changes.map(({ address: name }) => name)).toEqual(["IPRestriction/r"]);
    expect(warnings(plan)).toEqual(["kind-unreadable", "not-pruned", "not-pruned"]);
    expect(plan.warnings[0]?.message).toContain("403");
  });

  it("refuses replacements and allowed duplicates that would delete them when edges can't be read", () => {
    const account = new Account();
    account.apply([backend("b"), loose("a", { region: "us" })]);
    account.call("POST", "/backends/http_response", { status_code: 503, metadata: marked("test", "b") });
    withoutEdges(account);
    const allow = ["ReservedAddress/a", "HTTPResponseBackend/b"];
    expect(account.plan([backend("b"), loose("a", { region: "eu" })], { allow }).refusals).toMatchObject([
      { code: "still-referenced", message: expect.stringContaining("ReservedAddress/a") as string },
      { code: "still-referenced", message: expect.stringContaining("HTTPResponseBackend/b") as string },
    ]);
    const kept = address("a", { region: "eu" }, lifecycle({ replaced: "orphan" }));
    expect(refusals(account.plan([backend("b"), kept], { allow }))).toEqual(["still-referenced"]);
  });
});

describe("does-not-converge", () => {
  it("refuses what the model of the service would not take, with the operation", () => {
    const plan = new Account().plan([backend("b", { status_code: 200 }), edge("e", { description: "x".repeat(5000) })]);
    expect(refusal(plan).code).toBe("does-not-converge");
    expect(refusal(plan).message).toContain("POST /edges/tls");
    expect(plan.rehearsal).toMatchObject({ converges: false });
  });

  it("names the bytes when metadata with the id of what is replaced is longer than validate can know", () => {
    const account = new Account();
    const old = { id: `ipx_${"x".repeat(200)}`, type: "agent", enforced: false, ip_policies: [{ id: "ipp_1" }] };
    account.hold("IPRestriction", { ...old, metadata: marked("test", "r") });
    const full = { metadata: { t: "x".repeat(3980) } };
    const found = refusal(account.plan([restriction("r", { ...full, type: "dashboard" })]));
    expect(found).toMatchObject({ code: "does-not-converge" });
    expect(found.message).toMatch(/metadata has 42\d\d bytes; at most 4096/u);
    expect(refusals(account.plan([restriction("r", { type: "dashboard" })]))).toEqual([]);
  });
});

describe("another IP restriction of the type", () => {
  it("that nobody or somebody else owns is a warning", () => {
    const account = new Account();
    account.call("POST", "/ip_restrictions", { type: "agent", enforced: true, ip_policy_ids: ["ipp_1"] });
    const plan = account.plan([restriction("r")]);
    expect(plan.refusals).toEqual([]);
    expect(plan.warnings).toMatchObject([{ code: "another-exists", address: "IPRestriction/r" }]);
    expect(warnings(account.plan([restriction("r", { type: "endpoints" })]))).toEqual([]);
  });
});

describe("what others own", () => {
  it("is never planned for, whatever it looks like", () => {
    const account = new Account();
    account.apply(backends(3), { stack: "other" });
    account.call("POST", "/edges/tls", { hostports: ["x.example.com:443"], metadata: "by hand" });
    account.call("POST", "/backends/http_response", { status_code: 1e2, metadata: marked("", "b0") });
    expect(account.plan([edge("mine")]).operations).toHaveLength(1);
    expect(account.plan([], { destroy: true }).operations).toEqual([]);
  });
});

describe("reference-not-live", () => {
  const gone = { backend: { backend: { id: "bkdhr_gone" } } };

  it("is a create or update that names an id of a listed kind that its list does not have", () => {
    const account = new Account();
    const found = refusal(account.plan([edge("e", gone)]));
    expect(found).toMatchObject({ code: "reference-not-live", address: "TLSEdge/e" });
    expect(found.remedy.match(/allow/gu)).toHaveLength(3); // `allow it by --allow … (or in guards.allow)`, once
    expect(found.message).toContain("spec.backend refers to the HTTP response backend bkdhr_gone, which is not live");
    expect(found.remedy).toContain("--allow TLSEdge/e");
    account.apply([edge("e")]);
    expect(refusals(account.plan([edge("e", gone)]))).toEqual(["reference-not-live"]);
    const { id } = account.call("POST", "/backends/http_response", { status_code: 200 });
    expect(refusals(account.plan([edge("e", { backend: { backend: { id: String(id) } } })]))).toEqual([]);
  });

  it("is lifted by naming the address, and rehearsed as if the thing existed", () => {
    const plan = new Account().plan([edge("e", gone)], { allow: ["TLSEdge/e"] });
    expect(plan).toMatchObject({ refusals: [], rehearsal: { converges: true } });
    expect(warnings(plan)).toContain("allowed-reference-not-live");
  });

  it("is a module that can only be disabled and refers to something that is gone", () => {
    const account = new Account({ deleteReferenced: "dangle" });
    account.apply([backend("b"), edge("e", { backend: { backend: { name: "b" } } })]);
    account.call("DELETE", account.path("HTTPResponseBackend/b"));
    const found = refusal(account.plan([edge("e")]));
    expect(found).toMatchObject({ code: "reference-not-live", address: "TLSEdge/e" });
    expect(found.message).toContain("disabling spec.backend");
    expect(found.remedy).toContain("api.moduleEndpoints");
    expect(refusals(account.plan([edge("e")], { moduleEndpoints: ["backend"] }))).toEqual([]);
  });

  it.each(["3.tcp.eu.example:20123", "3.TCP.example:20123"])(
    "is a hostport %s, which has the form of a reserved address and is none's",
    (addr) => {
      const found = refusal(new Account().plan([edge("e", { hostports: [addr] })]));
      expect(found).toMatchObject({ code: "reference-not-live", address: "TLSEdge/e" });
      expect(found.message).toContain(`spec.hostports refers to the reserved address ${addr}`);
    },
  );

  it("is a hostport whose host looks like that of a live address, digits aside", () => {
    const account = new Account();
    account.apply([address("a")]);
    const live = account.live();
    const [wire] = live.lists.ReservedAddress;
    const lists = { ...live.lists, ReservedAddress: [{ ...wire, addr: "gate7.edges.example.net:9001" }] };
    account.live = () => ({ ...live, lists });
    const codes = (...hostports: string[]): readonly string[] =>
      refusals(account.plan([address("a"), edge("e", { hostports })]));
    expect(codes("gate12.edges.example.net:9002")).toEqual(["reference-not-live"]);
    expect(codes("gate7.edges.example.net:9002")).toEqual(["reference-not-live"]);
    expect(codes("gate7.edges.example.net:9001", "api.edges.example.net:9001", "gate8.edges.example.net:443")).toEqual(
      [],
    );
  });

  it("is a reference to what the same plan deletes, where that is allowed", () => {
    const account = new Account({ deleteReferenced: "dangle" });
    account.apply([backend("b"), loose("a"), edge("e")]);
    const addr = String(account.one("ReservedAddress/a")["addr"]);
    const served = edge("e", {
      hostports: ["e.example.com:443", addr],
      backend: { backend: { id: account.id("HTTPResponseBackend/b") } },
    });
    expect(refusals(account.plan([served]))).toEqual(["irreversible", "still-referenced", "still-referenced"]);
    const deletes = ["ReservedAddress/a", "HTTPResponseBackend/b"];
    const found = refusal(account.plan([served], { allow: deletes }));
    expect(found).toMatchObject({ code: "reference-not-live", address: "TLSEdge/e" });
    expect(found.message).toContain(`spec.hostports refers to the reserved address ${addr}, which this plan deletes`);
    expect(found.message).toContain("spec.backend refers to the HTTP response backend bkdhr_");
    const plan = account.plan([served], { allow: [...deletes, "TLSEdge/e"] });
    expect(plan).toMatchObject({ refusals: [], rehearsal: { converges: true } });
    const moved = loose("a", { region: "eu" });
    expect(refusals(account.plan([backend("b"), moved, served], { allow: ["ReservedAddress/a"] }))).toEqual([
      "reference-not-live",
    ]);
  });
});
