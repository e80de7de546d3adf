import { describe, expect, it, vi } from "vitest";
import { Account, changeOf, refusals, writes } from "./support/account.ts";
import { backend, restriction } from "./support/manifests.ts";

// No kind of today has a list endpoint and is referred to by a restriction: backends stand in for IP policies.
vi.mock("../../src/kinds/referred-kinds.ts", async (original) => ({
  ...(await original<object>()),
  ipPolicy: { kind: "HTTPResponseBackend", title: "an IP policy", idPrefix: null },
}));

describe("what is changed through a reference", () => {
  const guarding = (enforced: boolean) =>
    restriction("guard", { type: "api", enforced, ip_policies: [{ name: "policy" }] });
  const planned = (enforced: boolean, spec: object, allow: readonly string[] = []) => {
    const account = new Account();
    account.apply([backend("policy"), guarding(enforced)], { allow: ["IPRestriction/guard"] });
    const plan = account.plan([backend("policy", { ...spec }), backend("z"), guarding(enforced)], { allow });
    return { plan, policy: account.path("HTTPResponseBackend/policy") };
  };

  it("has the hazards, the impact and the place in the order of what refers to it", () => {
    const refused = planned(true, { body: "x" }).plan;
    expect(refused.refusals).toMatchObject([
      {
        code: "lockout",
        address: "HTTPResponseBackend/policy",
        message: expect.stringMatching(/^IPRestriction\/guard refers to it: .*lock this tool/) as unknown,
      },
    ]);
    const reason = "what IPRestriction/guard does with traffic changes with it";
    const judged = { impact: "security", reason };
    expect(changeOf(refused, "HTTPResponseBackend/policy")).toMatchObject({ ...judged, fields: [judged] });
    const { plan, policy } = planned(true, { body: "x" }, ["HTTPResponseBackend/policy"]);
    expect(refusals(plan)).toEqual([]);
    expect(writes(plan)).toEqual(["POST /backends/http_response", `PATCH ${policy}`]);
  });

  it("is no more than its own change when that is in words, or when the referrer guards nothing", () => {
    const words = planned(true, { description: "x" }).plan;
    expect(refusals(words)).toEqual([]);
    expect(changeOf(words, "HTTPResponseBackend/policy").impact).toBe("cosmetic");
    const unenforced = planned(false, { body: "x" }).plan;
    expect(refusals(unenforced)).toEqual([]);
    expect(changeOf(unenforced, "HTTPResponseBackend/policy").impact).toBe("routing");
  });
});
