import { describe, expect, it } from "vitest";
import { renderPlanGithub } from "../../src/report/github-annotations.ts";
import { renderPlanGitlab, renderPlanJson } from "../../src/report/json-reports.ts";
import { splitDrift } from "../../src/report/plan-sections.ts";
import { expectGolden } from "./expect-golden.ts";
import { change, field, planOf, samplePlan } from "./sample-plan.ts";

describe("plan in other formats", () => {
  it("as JSON is the plan", () => {
    expect(JSON.parse(renderPlanJson(samplePlan()))).toEqual(samplePlan());
  });

  it("as annotations, worst first", () => {
    const text = renderPlanGithub(samplePlan(), { pathPrefix: "infra/" });
    expectGolden("plan.github.txt", text);
    expect(text.split("\n").map((line) => /^::(\w+)/.exec(line)?.[1] ?? "")).toEqual(
      [..."e", ..."wwww", ..."nnnn", ..."ww", ""].map(
        (short) => ({ e: "error", w: "warning", n: "notice" })[short] ?? "",
      ),
    );
    expect(renderPlanGithub(planOf([]))).toBe(
      "::notice title=edgewise plan::No changes. Live matches the manifests (3 resources).\n",
    );
  });

  it("as counts for a merge request", () => {
    expect(JSON.parse(renderPlanGitlab(samplePlan()))).toEqual({ create: 2, update: 5, delete: 2 });
  });
});

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
