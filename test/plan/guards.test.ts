import { describe, expect, it } from "vitest";
import type { Manifest } from "../../src/manifest/manifest.ts";
import { deleteBound } from "../../src/plan/guards.ts";
import { refusalCodes } from "../../src/plan/plan-format.ts";
import { Account, changeOf, refusal, refusals } from "./support/account.ts";
import { address, backend, edge, lifecycle, loose, restriction } from "./support/manifests.ts";

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
});

describe("lockout", () => {
  const api = (spec: Parameters<typeof restriction>[1] = {}): Manifest => restriction("r", { type: "api", ...spec });
  const allow = ["IPRestriction/r"];

  it.each<readonly [string, Manifest | null, Manifest, boolean]>([
    ["creating an enforced one", null, api(), true],
    ["creating one that only warns", null, api({ enforced: false }), false],
    ["beginning to enforce", api({ enforced: false }), api(), true],
    ["other policies", api(), api({ ip_policies: [{ id: "ipp_2" }] }), true],
    [
      "policies in another order",
      api({ ip_policies: [{ id: "ipp_1" }, { id: "ipp_2" }] }),
      api({ ip_policies: [{ id: "ipp_2" }, { id: "ipp_1" }] }),
      false,
    ],
    ["an end to enforcing", api(), api({ enforced: false }), false],
    ["another type becoming api", restriction("r"), api(), true],
  ])("%s", (_what, before, after, refused) => {
    const account = new Account();
    if (before !== null) account.apply([before], { allow });
    expect(refusals(account.plan([after]))).toEqual(refused ? ["lockout"] : []);
    expect(refusals(account.plan([after], { allow }))).toEqual([]);
  });
});

describe("too-many-deletes", () => {
  it.each([
    [null, 0, 3],
    [null, 15, 3],
    [null, 16, 4],
    [{ count: 0 }, 100, 0],
    [{ count: 7 }, 2, 7],
    [{ percent: 10 }, 19, 1],
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
});
