import { describe, expect, it } from "vitest";
import { hashPlan } from "../../src/plan/canonical-json.ts";
import type { Change, Plan } from "../../src/plan/plan-format.ts";
import { judgePlan, withJudgement } from "../../src/policies/judge-plan.ts";
import type { Judgement, Policy } from "../../src/policies/plan-policy.ts";
import { planView } from "../../src/policies/plan-view.ts";
import { planOf as emptyPlan } from "../apply/support/operations.ts";
import { violations } from "../schemas/all-schemas.ts";

const change: Change = {
  address: "TLSEdge/api",
  action: "update",
  id: "edgtls_1",
  source: null,
  fields: [
    { path: "spec.description", before: "a", after: "top-secret", impact: "cosmetic", reason: null, origin: "drift" },
  ],
  impact: "cosmetic",
  reason: null,
  origin: "drift",
  notes: [],
};

function planOf(more: Partial<Plan> = {}): Plan {
  const {
    hash: _hash,
    toolVersion,
    ...plan
  } = emptyPlan([], {
    stack: "demo",
    summary: { create: 0, update: 1, replace: 0, delete: 0, adopt: 0, orphan: 0, unchanged: 0 },
    changes: [change],
    ...more,
  });
  return { ...plan, toolVersion, hash: hashPlan(plan) };
}

function policy(expression: string, more: Partial<Policy> = {}): Policy {
  return { name: "one", expression, message: "Not here.", effect: "deny", tests: [], ...more };
}

const plain = { allow: [] };

function judgement(hits: Judgement["hits"]): Judgement {
  return { hits, perChange: [true], more: false };
}

describe("withJudgement", () => {
  const denied = judgement([{ policy: 0, address: "TLSEdge/api", error: null }]);

  it("refuses what a policy denies, and hashes the plan again", () => {
    const plan = planOf();
    const judged = withJudgement(plan, [policy("true")], denied, []);
    expect(judged.refusals).toEqual([
      {
        code: "policy",
        address: "TLSEdge/api",
        policy: "one",
        message: "policy one denies it: Not here.",
        remedy: "change what it denies, or the policy; or allow it by --allow TLSEdge/api (or in guards.allow)",
      },
    ]);
    expect(judged.hash).toBe(hashPlan(judged));
    expect(judged.hash).not.toBe(plan.hash);
    expect(violations("plan", judged)).toEqual([]);
  });

  it("lifts what an address allows, of that address alone, and takes its entry for used", () => {
    const unused = { code: "unused-allow", message: "unused", address: "TLSEdge/api" } as const;
    const other = { code: "unused-allow", message: "unused", address: "TLSEdge/b" } as const;
    const hits = [...denied.hits, { policy: 0, address: "TLSEdge/c", error: null }];
    const plan = planOf({ warnings: [unused, other] });
    const judged = withJudgement(plan, [policy("true")], judgement(hits), ["TLSEdge/api", "TLSEdge/b"]);
    expect(judged.refusals).toMatchObject([{ address: "TLSEdge/c" }]);
    expect(judged.lifted).toEqual([{ code: "policy", address: "TLSEdge/api", policy: "one" }]);
    expect(judged.warnings).toEqual([
      other,
      expect.objectContaining({ code: "allowed-policy", address: "TLSEdge/api" }),
    ]);
    expect(violations("plan", judged)).toEqual([]);
  });

  it("warns where the effect is to warn, and refuses where such an expression fails", () => {
    const warning = policy("true", { effect: "warn" });
    const judged = withJudgement(planOf(), [warning], denied, []);
    expect(judged.warnings).toEqual([{ code: "policy", message: "policy one: Not here.", address: "TLSEdge/api" }]);
    expect(judged.refusals).toEqual([]);
    const failed = judgement([{ policy: 0, address: "TLSEdge/api", error: "No such key: x" }]);
    expect(withJudgement(planOf(), [warning], failed, []).refusals).toMatchObject([
      { code: "policy", policy: "one", message: "policy one can't be evaluated: No such key: x" },
    ]);
  });

  it("lets no address lift a refusal of the whole plan", () => {
    const whole = judgement([{ policy: 0, address: null, error: null }]);
    const { refusals } = withJudgement(planOf(), [policy("true")], whole, ["TLSEdge/api"]);
    expect(refusals).toMatchObject([{ message: "policy one denies the plan: Not here." }]);
    expect(refusals[0]).not.toHaveProperty("address");
    expect(refusals[0]?.remedy).not.toContain("guards.allow");
  });

  it("refuses when hits were not counted", () => {
    const many = { ...judgement([{ policy: 0, address: "TLSEdge/api", error: null }]), more: true };
    const { refusals } = withJudgement(planOf(), [policy("true", { effect: "warn" })], many, ["TLSEdge/api"]);
    expect(refusals).toMatchObject([{ code: "policy", message: expect.stringContaining("more than 10000 times") }]);
  });
});

describe("planView", () => {
  it("is the same for a plan, one with origins, and one that was judged before", () => {
    const plan = planOf();
    const withBase = planOf({ base: "abc", changes: [{ ...change, origin: "desired" }] });
    const judged = withJudgement(
      plan,
      [policy("true"), policy("true", { effect: "warn" })],
      judgement([0, 1].map((index) => ({ policy: index, address: "TLSEdge/api", error: null }))),
      [],
    );
    const [first, ...others] = [plan, withBase, judged].map((each) => planView(each));
    expect(others).toEqual([first, first]);
    expect(JSON.parse(first ?? "")).not.toHaveProperty("hash");
  });
});

describe("judgePlan", () => {
  it("leaves a plan alone that changes nothing, or that no policy judges", async () => {
    const empty = planOf({ changes: [] });
    expect(await judgePlan(empty, [policy("true")], plain)).toBe(empty);
    const plan = planOf();
    expect(await judgePlan(plan, [], plain)).toBe(plan);
    expect(await judgePlan(plan, [policy("change.action == 'delete'")], plain)).toBe(plan);
  });

  it("judges in another process", async () => {
    const { refusals } = await judgePlan(planOf(), [policy("change.kind == 'TLSEdge'")], plain);
    expect(refusals).toMatchObject([{ code: "policy", address: "TLSEdge/api" }]);
  });
});
