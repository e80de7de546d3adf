import { describe, expect, it } from "vitest";
import { splitDrift } from "../../src/report/plan-sections.ts";
import { change, field } from "./sample-plan.ts";

describe("overwritten drift", () => {
  const mine = field("spec.a", 1, 2, { origin: "desired", impact: "routing", reason: "mine" });
  const theirs = field("spec.b", 1, 2, { origin: "drift", impact: "security", reason: "theirs" });

  it("is kept apart, each part with its own worst", () => {
    const both = change("TLSEdge/x", "update", [mine, theirs], {
      impact: "security",
      reason: "theirs",
      origin: "both",
    });
    const { branch, overwritten } = splitDrift([both]);
    expect(branch).toMatchObject([{ fields: [mine], impact: "routing", reason: "mine", origin: "desired" }]);
    expect(overwritten).toMatchObject([{ fields: [theirs], impact: "security", reason: "theirs", origin: "drift" }]);
  });

  it("never moves deletes and replacements, nor anything without a base", () => {
    const replaced = change("TLSEdge/x", "replace", [theirs], { origin: "drift" });
    const plain = change("TLSEdge/y", "update", [field("spec.a", 1, 2)]);
    expect(splitDrift([replaced, plain])).toEqual({ branch: [replaced, plain], overwritten: [] });
  });
});
