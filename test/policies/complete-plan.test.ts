import { describe, expect, it } from "vitest";
import { completePlan } from "../../src/policies/complete-plan.ts";
import { validatePlan } from "../../src/schema/validate-plan.ts";

const change = { address: "TLSEdge/api", action: "delete" };

describe("completePlan", () => {
  it("makes a valid plan of changes alone, and counts them", () => {
    const plan = completePlan({
      changes: [change, { ...change, action: "create", fields: [{ path: "spec.hostports" }] }],
    });
    expect(validatePlan(plan)).toBeNull();
    expect(plan).toMatchObject({
      summary: { create: 1, delete: 1, update: 0, unchanged: 0 },
      changes: [
        { ...change, id: null, fields: [], impact: "none" },
        { fields: [{ path: "spec.hostports", before: null, after: null, impact: "none" }] },
      ],
      operations: [],
      rehearsal: null,
    });
  });

  it("keeps what is there, also in parts of a member", () => {
    const operations = [{ kind: "delete", method: "DELETE", path: "/edges/tls/x", address: "TLSEdge/api" }];
    const plan = completePlan({
      stack: "mine",
      changes: [{ ...change, impact: "security" }],
      summary: { unchanged: 7 },
      relaxations: { takeOver: true },
      selection: { only: ["TLSEdge/api"] },
      operations,
    });
    expect(validatePlan(plan)).toBeNull();
    expect(plan).toMatchObject({
      stack: "mine",
      changes: [{ impact: "security" }],
      summary: { delete: 1, unchanged: 7 },
      relaxations: { takeOver: true, allow: [] },
      selection: { only: ["TLSEdge/api"], prune: true },
      operations: [{ id: "op-1", bind: {} }],
    });
  });

  it("gives members of prototypes no way in", () => {
    const written: unknown = JSON.parse('{"changes":[],"__proto__":{"stack":"other"},"constructor":1}');
    expect(validatePlan(completePlan(written))).toMatch(/__proto__|constructor/);
  });
});
