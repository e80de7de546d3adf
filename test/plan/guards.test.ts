import { describe, expect, it } from "vitest";
import type { Manifest } from "../../src/manifest/manifest.js";
import { deleteBound } from "../../src/plan/guards/check-deletes.js";
import { refusalCodes } from "../../src/plan/plan.js";
import { Account, changeOf, refusal, refusals, warnings, writes } from "./support/account.js";
import {
  address,
  backend,
  certificate,
  edge,
  httpsEdge,
  lifecycle,
  loose,
  marked,
  restriction,
} from "./support/manifests.js";

/** So many backends, named b0, b1, … */
const backends = (count: number): Manifest[] => Array.from({ length: count }, (_, index) => backend(`b${index}`));

describe("every refusal", () => {
  it("keeps operations from being rehearsed and says what to do", () => {
    const account = new Account();
    account.apply([address("a")]);
    const plan = account.plan([], { allowEmpty: true });
    expect(plan.rehearsal).toBeNull();
    for (const { message, remedy, code } of plan.refusals) {
      expect(refusalCodes).toContain(code);
      expect(message).not.toBe("");
      expect(remedy).not.toBe("");
    }
    // What was refused is shown all the same.
    expect(changeOf(plan, "ReservedAddress/a").action).toBe("delete");
  });

  it("is lifted for its own address alone, which leaves a warning", () => {
    const account = new Account();
    account.apply([loose("a"), loose("b"), backend("x")]);
    const plan = account.plan([backend("x")], { allow: ["ReservedAddress/a"] });
    expect(refusals(plan)).toEqual(["irreversible"]);
    expect(refusal(plan).address).toBe("ReservedAddress/b");
    expect(plan.warnings).toMatchObject([{ code: "allowed-irreversible", address: "ReservedAddress/a" }]);
  });

  it("that guards.allow lifted makes the entry used; others are a warning", () => {
    const account = new Account();
    account.apply([loose("a"), backend("x")]);
    const configured = ["ReservedAddress/a", "TLSEdge/whatever"];
    const plan = account.plan([backend("x")], { allow: [...configured, "TLSEdge/flag"], configuredAllow: configured });
    expect(plan.warnings.filter(({ code }) => code === "unused-allow")).toMatchObject([
      { address: "TLSEdge/whatever" },
    ]);
  });
});

describe("deletion-protected", () => {
  const keep = lifecycle({ deletion: "protect" });

  it("refuses to delete what its marker protects, and names the id", () => {
    const account = new Account();
    account.apply([backend("kept", {}, keep), edge("e")]);
    const id = account.id("HTTPResponseBackend/kept");
    const found = refusal(account.plan([edge("e")]));
    expect(found).toMatchObject({ code: "deletion-protected", address: "HTTPResponseBackend/kept" });
    expect(found.message).toContain(id);
    expect(found.remedy).toContain("lifecycle.deletion");
  });

  it("protects addresses by default, but not the other kinds", () => {
    const account = new Account();
    account.apply([address("a"), backend("b"), restriction("r"), edge("e"), certificate("c", "AAAA")]);
    const plan = account.plan([edge("e")], { maxDeletes: { count: 9 } });
    expect(new Set(plan.refusals.map((one) => one.address))).toEqual(new Set(["ReservedAddress/a"]));
  });

  it("is lifted by --allow, or by taking the policy back first", () => {
    const account = new Account();
    account.apply([backend("kept", {}, keep), edge("e")]);
    expect(refusals(account.plan([edge("e")], { allow: ["HTTPResponseBackend/kept"] }))).toEqual([]);
    account.apply([backend("kept", {}, lifecycle({ deletion: "delete" })), edge("e")]);
    expect(refusals(account.plan([edge("e")]))).toEqual([]);
  });

  it("doesn't stop updates", () => {
    const account = new Account();
    account.apply([backend("kept", {}, keep)]);
    expect(refusals(account.plan([backend("kept", { status_code: 200 }, keep)]))).toEqual([]);
  });

  it("doesn't stop a destroy any less", () => {
    const account = new Account();
    account.apply([backend("kept", {}, keep)]);
    expect(refusals(account.plan([], { destroy: true }))).toEqual(["deletion-protected"]);
  });
});

describe("irreversible", () => {
  it("refuses to delete an address even when its policy is delete", () => {
    const account = new Account();
    account.apply([loose("a"), edge("e")]);
    const found = refusal(account.plan([edge("e")]));
    expect(found).toMatchObject({ code: "irreversible", address: "ReservedAddress/a" });
    expect(found.remedy).toContain("orphan");
    expect(refusals(account.plan([edge("e")], { allow: ["ReservedAddress/a"] }))).toEqual([]);
  });

  it("doesn't concern one that is let go", () => {
    const account = new Account();
    account.apply([address("a", {}, lifecycle({ deletion: "orphan" })), edge("e")]);
    const plan = account.plan([edge("e")]);
    expect(refusals(plan)).toEqual([]);
    expect(changeOf(plan, "ReservedAddress/a").action).toBe("orphan");
  });
});

describe("lockout", () => {
  const api = (spec: Parameters<typeof restriction>[1] = {}): Manifest => restriction("r", { type: "api", ...spec });
  const allow = ["IPRestriction/r"];

  it.each<readonly [string, Manifest | null, Manifest, boolean]>([
    ["creating an enforced one", null, api(), true],
    ["creating one that only warns", null, api({ enforced: false }), false],
    ["creating one of another type", null, restriction("r"), false],
    ["beginning to enforce", api({ enforced: false }), api(), true],
    ["other policies", api(), api({ ip_policies: [{ id: "ipp_2" }] }), true],
    ["more policies", api(), api({ ip_policies: [{ id: "ipp_1" }, { id: "ipp_2" }] }), true],
    [
      "policies in another order",
      api({ ip_policies: [{ id: "ipp_1" }, { id: "ipp_2" }] }),
      api({ ip_policies: [{ id: "ipp_2" }, { id: "ipp_1" }] }),
      false,
    ],
    ["another description", api(), api({ description: "d" }), false],
    ["an end to enforcing", api(), api({ enforced: false }), false],
    ["another type becoming api", restriction("r"), api(), true],
  ])("%s", (_what, before, after, refused) => {
    const account = new Account();
    if (before !== null) account.apply([before], { allow });
    expect(refusals(account.plan([after]))).toEqual(refused ? ["lockout"] : []);
    expect(refusals(account.plan([after], { allow }))).toEqual([]);
  });

  it("doesn't concern deletes", () => {
    const account = new Account();
    account.apply([api(), edge("e")], { allow });
    expect(refusals(account.plan([edge("e")]))).toEqual([]);
  });

  it("says how to go about it", () => {
    const found = refusal(new Account().plan([api()]));
    expect(found.address).toBe("IPRestriction/r");
    expect(found.remedy).toContain("enforced: false");
  });
});

describe("too-many-deletes", () => {
  it.each([
    [null, 0, 3],
    [null, 12, 3],
    [null, 15, 3],
    [null, 16, 4],
    [null, 100, 25],
    [{ count: 0 }, 100, 0],
    [{ count: 7 }, 2, 7],
    [{ percent: 10 }, 19, 1],
    [{ percent: 100 }, 19, 19],
    [{ percent: 0 }, 1000, 0],
    [{ percent: 50 }, 1, 0],
  ] as const)("with %j of %d owned lets %d pass", (max, owned, bound) => {
    expect(deleteBound(max, owned)).toBe(bound);
  });

  it("counts deletes, and refuses the first one too many", () => {
    const account = new Account();
    account.apply(backends(8));
    expect(refusals(account.plan(backends(5)))).toEqual([]);
    const found = refusal(account.plan(backends(4)));
    expect(found.code).toBe("too-many-deletes");
    expect(found.address).toBeUndefined();
    expect(found.message).toContain("4 resources");
    expect(found.message).toContain("8");
    expect(found.remedy).toContain("--max-deletes 4");
    expect(refusals(account.plan(backends(4), { maxDeletes: { count: 4 } }))).toEqual([]);
  });

  it("is a share of what the stack owns, not of what is live", () => {
    const account = new Account();
    account.apply(backends(4));
    for (let index = 0; index < 40; index += 1) account.call("POST", "/backends/http_response", { status_code: 200 });
    account.apply(
      Array.from({ length: 40 }, (_, index) => backend(`other${index}`)),
      { stack: "other" },
    );
    expect(refusals(account.plan([edge("e")]))).toEqual(["too-many-deletes"]);
  });

  it("doesn't count what is let go", () => {
    const account = new Account();
    account.apply(backends(6).map((one) => ({ ...one, lifecycle: { ignore: [], deletion: "orphan" as const } })));
    expect(refusals(account.plan([edge("e")], { maxDeletes: { count: 0 } }))).toEqual([]);
  });

  it("is not lifted by naming addresses", () => {
    const account = new Account();
    account.apply(backends(4));
    const allow = backends(4).map((one) => one.address);
    expect(refusals(account.plan([edge("e")], { allow }))).toEqual(["too-many-deletes"]);
  });
});

describe("empty-desired", () => {
  it("refuses a plan without manifests while the stack owns something", () => {
    const account = new Account();
    account.apply([backend("b")]);
    const found = refusal(account.plan([]));
    expect(found.code).toBe("empty-desired");
    expect(found.message).toContain("1 live resource ");
    expect(found.remedy).toContain("--allow-empty");
    expect(refusals(account.plan([], { allowEmpty: true }))).toEqual([]);
    expect(refusals(account.plan([], { destroy: true }))).toEqual([]);
    expect(refusals(account.plan([], { prune: false }))).toEqual([]);
  });

  it("isn't fooled by a manifest that speaks of modules alone", () => {
    const account = new Account();
    account.watch("HTTPSEdge", "edghts_1", "/edges/https/edghts_1");
    account.apply([backend("b")]);
    expect(refusals(account.plan([httpsEdge("web", { tls_termination: {} })]))).toEqual(["empty-desired"]);
  });

  it("has nothing against an empty stack", () => {
    const account = new Account();
    account.call("POST", "/backends/http_response", { status_code: 200 });
    account.apply([backend("b")], { stack: "other" });
    expect(account.plan([])).toMatchObject({ refusals: [], changes: [] });
  });
});

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

  it("names the stack that serves it", () => {
    const account = new Account();
    account.apply([edge("theirs", { hostports: ["API.example.com:443"] })], { stack: "other" });
    const found = refusal(account.plan([edge("api")]));
    expect(found.code).toBe("address-in-use");
    expect(found.message).toContain('"other"');
    expect(found.remedy).toContain('"other"');
  });

  it("fires for updates, and for an owned edge outside of this run", () => {
    const account = new Account();
    account.apply([edge("a"), edge("b")]);
    const taking = edge("b", { hostports: ["a.example.com:443"] });
    const found = refusal(account.plan([taking], { prune: false }));
    expect(found).toMatchObject({ code: "address-in-use", address: "TLSEdge/b" });
    expect(found.remedy).toContain("a");
    // With its holder deleted in the same run there is nothing in the way.
    expect(refusals(account.plan([taking]))).toEqual([]);
  });

  it("tells of an edge that is let go and goes on serving", () => {
    const account = new Account();
    account.apply([edge("free", {}, lifecycle({ deletion: "orphan" }))]);
    const found = refusal(account.plan([edge("new", { hostports: ["free.example.com:443"] })]));
    expect(found).toMatchObject({ code: "address-in-use", address: "TLSEdge/new" });
    expect(found.remedy).toContain("lifecycle.deletion: delete");
  });

  it("names both manifests that want one hostport", () => {
    const plan = new Account().plan([edge("a"), edge("b", { hostports: ["A.example.com:443"] })]);
    expect(plan.refusals.map(({ code, address: name }) => [code, name])).toEqual([
      ["address-in-use", "TLSEdge/a"],
      ["address-in-use", "TLSEdge/b"],
    ]);
  });

  it("doesn't mind what a foreign edge already shares with ours and stays", () => {
    const account = new Account();
    account.apply([edge("api")]);
    expect(refusals(account.plan([edge("api", { description: "d" })]))).toEqual([]);
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
    expect(found.message).toContain("nobody owns");
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
    // The remedies: the endpoint, another backend, or the edge goes as well.
    expect(refusals(account.plan([edge("e")], { moduleEndpoints: ["backend"] }))).toEqual([]);
    expect(refusals(account.plan([backend("c"), edge("e", { backend: { backend: { name: "c" } } })]))).toEqual([]);
    expect(refusals(account.plan([backend("other")]))).toEqual([]);
  });

  it("refuses to delete an address that a foreign edge serves", () => {
    const account = new Account();
    account.apply([loose("a"), edge("e")]);
    account.call("POST", "/edges/tls", { hostports: [String(account.one("ReservedAddress/a")["addr"])] });
    expect(refusals(account.plan([edge("e")]))).toEqual(["irreversible", "still-referenced"]);
    expect(refusals(account.plan([edge("e")], { allow: ["ReservedAddress/a"] }))).toEqual([]);
  });

  it("doesn't concern what is let go", () => {
    const account = new Account();
    account.apply([
      backend("b", {}, lifecycle({ deletion: "orphan" })),
      edge("e", { backend: { backend: { name: "b" } } }),
    ]);
    expect(refusals(account.plan([edge("e")]))).toEqual([]);
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

  it("leaves backends and addresses alone when edges can't be read", () => {
    const account = new Account();
    account.apply([backend("b"), loose("a"), restriction("r"), certificate("c", "AAAA")]);
    const live = account.live();
    account.live = () => ({
      ...live,
      lists: { ...live.lists, TLSEdge: [] },
      unreadable: [{ kind: "TLSEdge", status: 403 }],
    });
    const plan = account.plan([certificate("c", "AAAA")]);
    expect(plan.changes.map(({ address: name }) => name)).toEqual(["IPRestriction/r"]);
    expect(warnings(plan)).toEqual(["kind-unreadable", "not-pruned", "not-pruned"]);
    expect(plan.warnings[0]?.message).toContain("403");
  });
});

describe("does-not-converge", () => {
  it("refuses what the model of the service would not take, with the operation", () => {
    const plan = new Account().plan([backend("b", { status_code: 200 }), edge("e", { metadata: "x".repeat(5000) })]);
    expect(refusal(plan).code).toBe("does-not-converge");
    expect(refusal(plan).message).toContain("POST /edges/tls");
    expect(plan.rehearsal).toMatchObject({ converges: false });
  });

  it("takes ids of kinds that no list shows as existing", () => {
    const plan = new Account().plan([
      edge("e", {
        backend: { backend: { id: "bkdtg_elsewhere" } },
        ip_restriction: { ip_policies: [{ id: "ipp_elsewhere" }] },
        mutual_tls: { certificate_authorities: [{ id: "ca_elsewhere" }] },
      }),
      address("a", { endpoint_configuration: { id: "ec_elsewhere" } }),
      edge("f", { backend: { backend: { id: "bkdhr_elsewhere" } } }),
    ]);
    expect(plan).toMatchObject({ refusals: [], rehearsal: { converges: true, steps: 4 } });
  });

  it("counts the steps of what was rehearsed", () => {
    expect(new Account().plan([]).rehearsal).toEqual({ converges: true, steps: 0 });
    expect(new Account().plan(backends(3)).rehearsal).toEqual({ converges: true, steps: 3 });
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

  it("of our own is none, and neither is a mere update", () => {
    const account = new Account();
    account.apply([restriction("a")]);
    expect(warnings(account.plan([restriction("a"), restriction("b")]))).toEqual([]);
    account.call("POST", "/ip_restrictions", { type: "agent", enforced: true, ip_policy_ids: ["ipp_1"] });
    expect(warnings(account.plan([restriction("a", { description: "d" })]))).toEqual([]);
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

describe("no pruning", () => {
  it("leaves what has no manifest as it is", () => {
    const account = new Account();
    account.apply([backend("a"), backend("b")]);
    const plan = account.plan([backend("a", { status_code: 200 })], { prune: false });
    expect(writes(plan)).toEqual([`PATCH ${account.path("HTTPResponseBackend/a")}`]);
    expect(plan.summary).toMatchObject({ delete: 0, update: 1 });
  });

  it("still finishes a replacement, which is no pruning", () => {
    const account = new Account();
    account.apply([restriction("r")]);
    const plan = account.apply([restriction("r", { type: "endpoints" })], { prune: false });
    expect(plan.operations.map(({ method }) => method)).toEqual(["POST", "DELETE"]);
  });
});
