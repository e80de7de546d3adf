import { describe, expect, it } from "vitest";
import type { Manifest } from "../../src/manifest/manifest.ts";
import { deleteBound } from "../../src/plan/guards/deletes.ts";
import { refusalCodes } from "../../src/plan/plan-format.ts";
import { Account, changeOf, refusal, refusals } from "./support/account.ts";
import { address, backend, certificate, edge, httpsEdge, lifecycle, loose, restriction } from "./support/manifests.ts";

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
