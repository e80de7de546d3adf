import { describe, expect, it } from "vitest";
import { Account, bodyOf, changeOf, refusal, refusals, warnings, writes } from "./support/account.ts";
import { address, backend, certificate, edge, lifecycle, marked, pem } from "./support/manifests.ts";

describe("a manifest and its live resource", () => {
  it("never meet by name alone across kinds or stacks", () => {
    const account = new Account();
    account.call("POST", "/backends/http_response", { status_code: 503, metadata: marked("other", "api") });
    account.apply([edge("api")]);
    const plan = account.plan([edge("api"), backend("api")]);
    expect(writes(plan)).toEqual(["POST /backends/http_response"]);
  });
});

describe("adoption", () => {
  it("marks what metadata.id names, in one PATCH with whatever differs", () => {
    const account = new Account();
    const { id } = account.call("POST", "/edges/tls", { hostports: ["api.example.com:443"], description: "by hand" });
    const plan = account.apply([edge("api", { description: "by Git" }, { id: String(id) })]);
    expect(changeOf(plan, "TLSEdge/api")).toMatchObject({ action: "adopt", id });
    expect(plan.summary).toMatchObject({ adopt: 1, create: 0, update: 0 });
    expect(writes(plan)).toEqual([`PATCH /edges/tls/${String(id)}`]);
    expect(bodyOf(plan, "TLSEdge/api")).toEqual({ description: "by Git", metadata: marked("test", "api") });
    expect(changeOf(plan, "TLSEdge/api").notes.join()).toContain("no stack owns");
    expect(account.plan([edge("api", { description: "by Git" }, { id: String(id) })]).changes).toEqual([]);
  });

  it("never touches a module before the marker is written", () => {
    const account = new Account();
    const { id } = account.call("POST", "/edges/tls", {
      hostports: ["api.example.com:443"],
      traffic_policy: { value: "{}" },
    });
    const plan = account.apply([edge("api", {}, { id: String(id) })]);
    expect(writes(plan)).toEqual([`PATCH /edges/tls/${String(id)}`, `DELETE /edges/tls/${String(id)}/traffic_policy`]);
    expect(plan.operations[1]?.waits).toEqual({ "op-1": "same" });
  });

  it("is refused for another stack's resource, unless it is taken over on purpose", () => {
    const account = new Account();
    const { id } = account.call("POST", "/backends/http_response", {
      status_code: 503,
      metadata: marked("theirs", "x"),
    });
    const desired = [backend("ours", {}, { id: String(id) })];
    const plan = account.plan(desired);
    expect(plan.operations).toEqual([]);
    expect(refusal(plan)).toMatchObject({ code: "ownership-conflict", address: "HTTPResponseBackend/ours" });
    expect(refusal(plan).message).toContain('"theirs"');
    expect(refusal(plan).message).toContain(String(id));
    expect(refusal(plan).remedy).toContain("--take-over");
    expect(refusals(account.plan(desired, { allow: ["HTTPResponseBackend/ours"] }))).toEqual(["ownership-conflict"]);
    const taken = account.apply(desired, { takeOver: true });
    expect(changeOf(taken, "HTTPResponseBackend/ours")).toMatchObject({ action: "adopt", id });
    expect(account.one("HTTPResponseBackend/ours")["metadata"]).toBe(marked("test", "ours"));
  });

  it("of an id that is not live is refused, never a create", () => {
    const plan = new Account().plan([edge("api", {}, { id: "edgtls_gone" })]);
    expect(plan.operations).toEqual([]);
    expect(refusal(plan)).toMatchObject({ code: "id-not-live", address: "TLSEdge/api" });
    expect(refusal(plan).message).toContain("edgtls_gone");
  });

  it("that needs a replace is refused, and says which field is in the way", () => {
    const account = new Account();
    const { id } = account.call("POST", "/reserved_addrs", { region: "eu" });
    const desired = [address("tcp", { region: "us" }, { id: String(id) })];
    const allow = ["ReservedAddress/tcp"];
    const found = refusal(account.plan(desired, { allow }));
    expect(found).toMatchObject({ code: "adopt-needs-replace", address: "ReservedAddress/tcp" });
    expect(found.message).toContain("spec.region");
    // Guards of a deletion that can't come would ask for an --allow that changes nothing.
    expect(refusals(account.plan(desired))).toEqual(["adopt-needs-replace"]);
    expect(refusals(account.plan([address("tcp", {}, { id: String(id) })]))).toEqual([]);
    expect(refusals(account.plan([address("tcp", { region: "eu" }, { id: String(id) })]))).toEqual([]);
  });

  it("of one resource by two manifests is refused", () => {
    const account = new Account();
    account.apply([backend("a")]);
    const id = account.id("HTTPResponseBackend/a");
    const plan = account.plan([backend("a"), backend("b", {}, { id })]);
    expect(refusal(plan)).toMatchObject({ code: "ownership-conflict", address: "HTTPResponseBackend/b" });
    const { id: free } = account.call("POST", "/backends/http_response", { status_code: 503 });
    const both = account.plan([
      backend("a"),
      backend("b", {}, { id: String(free) }),
      backend("c", {}, { id: String(free) }),
    ]);
    expect(refusal(both)).toMatchObject({ code: "ownership-conflict", address: "HTTPResponseBackend/c" });
  });
});

describe("a marker beside another metadata.id", () => {
  it("is refused when both are live", () => {
    const account = new Account();
    account.apply([backend("x")]);
    const { id } = account.call("POST", "/backends/http_response", { status_code: 503 });
    const found = refusal(account.plan([backend("x", {}, { id: String(id) })]));
    expect(found).toMatchObject({ code: "ownership-conflict", address: "HTTPResponseBackend/x" });
    expect(found.message).toContain(String(id));
    expect(found.message).toContain(account.id("HTTPResponseBackend/x"));
  });

  it("is a warning when the id is dead", () => {
    const account = new Account();
    account.apply([backend("x")]);
    const plan = account.plan([backend("x", {}, { id: "bkdhr_gone" })]);
    expect(plan).toMatchObject({ refusals: [], changes: [] });
    expect(warnings(plan)).toEqual(["id-gone"]);
  });

  it("is fine when the one replaced the other, however often it was replaced itself", () => {
    const account = new Account();
    const made = account.call("POST", "/tls_certificates", { certificate_pem: pem("AAAA"), private_key_pem: "k" });
    const adopting = { id: String(made["id"]) };
    const deleting = { ...adopting, ...lifecycle({ replaced: "delete" }) };
    account.apply([certificate("c", "AAAA", adopting)]);
    const next = [
      certificate("c", "BBBB", adopting),
      certificate("c", "CCCC", adopting),
      certificate("c", "DDDD", deleting),
      certificate("c", "DDDD", deleting, { description: "written once more" }),
    ];
    for (const desired of next) {
      account.apply([desired]);
      expect(account.list("TLSCertificate").map(({ id }) => id)).toContain(made["id"]);
      expect(account.plan([desired])).toMatchObject({ refusals: [], changes: [] });
    }
  });
});

describe("a rename by previousNames", () => {
  it("rewrites the marker and nothing else", () => {
    const account = new Account();
    account.apply([edge("old", { hostports: ["a.example.com:443"] })]);
    const id = account.id("TLSEdge/old");
    const plan = account.apply([edge("new", { hostports: ["a.example.com:443"] }, { previousNames: ["old"] })]);
    expect(writes(plan)).toEqual([`PATCH /edges/tls/${id}`]);
    expect(bodyOf(plan, "TLSEdge/new")).toEqual({ metadata: marked("test", "new") });
    expect(changeOf(plan, "TLSEdge/new")).toMatchObject({ action: "update", id, impact: "none" });
    expect(changeOf(plan, "TLSEdge/new").fields).toMatchObject([
      { path: "metadata.marker", before: { stack: "test", name: "old" }, after: { stack: "test", name: "new" } },
    ]);
    expect(account.plan([edge("new", { hostports: ["a.example.com:443"] }, { previousNames: ["old"] })])).toMatchObject(
      {
        changes: [],
      },
    );
  });

  it("does nothing for a name that a manifest still has", () => {
    const account = new Account();
    account.apply([backend("old")]);
    const plan = account.plan([backend("old"), backend("new", {}, { previousNames: ["old"] })]);
    expect(plan.changes.map(({ address: name, action }) => [name, action])).toEqual([
      ["HTTPResponseBackend/new", "create"],
    ]);
  });
});

describe("previousStacks", () => {
  it("count as this stack's, and their markers are rewritten", () => {
    const account = new Account();
    account.apply([backend("x"), edge("gone")], { stack: "before" });
    const plan = account.plan([backend("x")], { previousStacks: ["before"] });
    expect(plan.changes.map(({ address: name, action }) => [name, action])).toEqual([
      ["TLSEdge/gone", "delete"],
      ["HTTPResponseBackend/x", "update"],
    ]);
    expect(bodyOf(plan, "HTTPResponseBackend/x")).toEqual({ metadata: marked("test", "x") });
    expect(changeOf(plan, "HTTPResponseBackend/x").notes.join()).toContain('"before"');
    expect(account.plan([backend("x")]).changes.map(({ action }) => action)).toEqual(["create"]);
  });
});
