import { windowsOf } from "../support/windows-of.ts";
import { describe, expect, it } from "vitest";
import type { Change } from "../../../src/plan/plan-format.ts";
import { decide } from "../../../src/serve/decide/decide.ts";
import type { DecisionInput } from "../../../src/serve/decide/decide.ts";
import { inputOf, open, planOf } from "./support.ts";

const address = "HTTPResponseBackend/b";

function change(more: Partial<Change> = {}): Change {
  const where = { address, id: "bkdhr_1", source: null, origin: null } as const;
  return { ...where, action: "delete", fields: [], impact: "irreversible", reason: null, notes: [], ...more };
}

function decided(more: Partial<DecisionInput> = {}, of: Partial<Change> = {}) {
  return decide(inputOf(planOf([change(of)]), "drift", { approved: new Set([address]), ...more }));
}

describe("what was approved", () => {
  it("is applied although it is never done unasked", () => {
    expect(decided()).toMatchObject({ state: "pending", apply: [address], unapproved: [] });
    expect(decided({ approved: new Set() })).toMatchObject({ reason: "approval", apply: [], unapproved: [address] });
  });

  it.each<[string, Partial<DecisionInput>, string]>([
    ["a pause", { paused: true }, "paused"],
    ["a suspension", { policy: { ...open, suspend: { until: null, reason: "audit" } } }, "suspended"],
    ["a window", { policy: { ...open, windows: windowsOf("mon 00:00-00:01 UTC") } }, "window"],
    ["the brake", { brake: { stopped: "too many", resources: new Map() } }, "brake"],
    ["the brake of its resource", { brake: { stopped: null, resources: new Map([[address, "contested"]]) } }, "brake"],
  ])("is held by %s all the same", (_, more, reason) => {
    expect(decided(more)).toMatchObject({ state: "waiting", reason, apply: [], unapproved: [] });
    // It can be approved meanwhile: its digest is shown.
    expect(decided({ ...more, approved: new Set() })).toMatchObject({ reason, unapproved: [address] });
  });

  it("is held by a guard, and by a secret that is missing", () => {
    const refusal = { code: "lockout", message: "m", remedy: "r" } as const;
    const refused = { ...planOf([change()]), refusals: [refusal] };
    expect(decide(inputOf(refused, "drift", { approved: new Set([address]) }))).toMatchObject({
      state: "refused",
      apply: [],
    });
    const field = {
      path: "spec.x",
      before: null,
      after: null,
      unavailable: ["env A"],
      impact: "none",
      reason: null,
    } as const;
    const missing = decided({}, { action: "update", impact: "none", fields: [field] });
    expect(missing).toMatchObject({ reason: "approval", apply: [], unapproved: [address] });
  });
});
