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

  it.each([
    ["no changes", {}, /changes/],
    ["null", null, /must be a map/],
    ["a list", [], /must be a map/],
    ["changes that are no list", { changes: {} }, /changes/],
    ["a change that is no object", { changes: [3] }, /changes\[0\]/],
    ["a change without an address", { changes: [{ action: "delete" }] }, /changes\[0\].*address/],
    ["a change without an action", { changes: [{ address: "TLSEdge/a" }] }, /changes\[0\].*action/],
    ["an unknown kind", { changes: [{ ...change, address: "Edge/a" }] }, /changes\[0\]\.address/],
    ["a misspelt action", { changes: [{ ...change, action: "destroy" }] }, /changes\[0\]\.action/],
    ["a misspelt member", { changes: [{ ...change, feilds: [] }] }, /changes\[0\].*feilds/],
    ["a misspelt member of a field", { changes: [{ ...change, fields: [{ path: "a", new: 1 }] }] }, /fields\[0\].*new/],
    ["a field without a path", { changes: [{ ...change, fields: [{ after: 1 }] }] }, /fields\[0\].*path/],
    ["fields that are no list", { changes: [{ ...change, fields: null }] }, /changes\[0\]\.fields/],
    ["another format", { format: "edgewise.plan/v2", changes: [] }, /format/],
    ["an unknown member", { changes: [], __proto: {} }, /__proto/],
    ["a wrong summary", { changes: [], summary: { delete: "many" } }, /summary\.delete/],
    ["a summary of null", { changes: [], summary: null }, /summary/],
    ["a wrong relaxation", { changes: [], relaxations: { allowAll: true } }, /relaxations.*allowAll/],
  ])("leaves %s for the schema to find", (_what, written, place) => {
    expect(validatePlan(completePlan(written))).toMatch(place);
  });

  it("gives members of prototypes no way in", () => {
    const written: unknown = JSON.parse('{"changes":[],"__proto__":{"stack":"other"},"constructor":1}');
    expect(validatePlan(completePlan(written))).toMatch(/__proto__|constructor/);
  });
});
