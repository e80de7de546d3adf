import { describe, expect, it, vi } from "vitest";
import { evaluatePolicies } from "../../../src/policies/evaluate-policies.ts";
import { Stage, backend } from "./support/stage.ts";

// Simulated time does not wait for another process.
vi.mock("../../../src/policies/ask-process.ts", () => ({
  PolicyFailure: class extends Error {},
  askProcess: async ({ expressions, plan }: { readonly expressions: readonly string[]; readonly plan: string }) => ({
    judgement: evaluatePolicies(expressions, plan, () => undefined),
  }),
}));

// Nor for a module that is imported late.
await import("../../../src/policies/judge-plan.ts");

describe("policies of a stack", () => {
  it("stop all writes when they deny, and none when they warn", async () => {
    const stage = new Stage();
    const rule = (expression: string, effect: string): string =>
      `policies: [{name: house, expression: "${expression}", message: Not here., effect: ${effect}}]\n`;
    stage.add("shop", { "a.yaml": backend("sorry", "Back soon") }, { config: rule("change.name == 'sorry'", "deny") });
    await stage.pass();
    expect(await stage.stateOf("shop")).toBe("refused");
    expect(stage.service.writes).toEqual([]);
    const { status } = await stage.recordOf("shop");
    expect(status.message).toContain("policy HTTPResponseBackend/sorry: policy house denies it: Not here.");
    expect(status.message).toContain("guards.allow of the configuration, which the fleet file has to allow");

    const config = (policies: string): string =>
      `apiVersion: edgewise/v1\nkind: Config\nstack: shop\nmanifests: [m/]\n${policies}`;
    // An expression that fails is a refusal, too.
    stage.commit({ "shop/edgewise.yaml": config(rule("change.after.spec.nothing == 1", "warn")) });
    await stage.pass();
    expect(await stage.stateOf("shop")).toBe("refused");
    expect(stage.service.writes).toEqual([]);
    stage.commit({ "shop/edgewise.yaml": config(rule("change.name == 'sorry'", "warn")) });
    await stage.pass();
    await stage.pass();
    expect(await stage.stateOf("shop")).toBe("synced");
    // What is at rest is not judged.
    stage.commit({ "shop/edgewise.yaml": config(rule("true", "deny")) });
    await stage.pass();
    expect(await stage.stateOf("shop")).toBe("synced");
  });

  it("judge the part that is written, too", async () => {
    const stage = new Stage();
    const policy = { apply: { commit: "security", drift: "never" } } as const;
    stage.add("shop", { "a.yaml": backend("a", "A") }, { policy });
    await stage.pass();
    const id = String(stage.service.lists().HTTPResponseBackend[0]?.["id"]);
    stage.service.byHand("PATCH", `/backends/http_response/${id}`, { description: "by hand" });
    // What was changed by hand waits, so only the other resource would be written, which the policy denies.
    const alone = "plan.changes.exists(c, c.name == 'b') && !plan.changes.exists(c, c.name == 'a')";
    stage.commit({
      "shop/edgewise.yaml": `apiVersion: edgewise/v1\nkind: Config\nstack: shop\nmanifests: [m/]\npolicies: [{name: both, expression: "${alone}", message: Both or none.}]\n`,
      "shop/m/b.yaml": backend("b", "B"),
    });
    stage.service.requests.length = 0;
    await stage.pass();
    expect(stage.service.writes).toEqual([]);
    expect((await stage.recordOf("shop")).status.message).toContain("Both or none.");
    expect(await stage.stateOf("shop")).not.toBe("synced");
  });
});
