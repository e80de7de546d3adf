import { describe, expect, it } from "vitest";
import { planView } from "../../src/report/plan-view.ts";
import { renderGithub } from "../../src/report/github-annotations.ts";
import { renderPlansGitlab } from "../../src/report/machine-reports.ts";
import { safeJson } from "../../src/core/visible.ts";
import { expectGolden } from "./expect-golden.ts";
import { planOf, samplePlan } from "./sample-plan.ts";

describe("plan for machines", () => {
  it("as JSON is the plan", () => {
    expect(JSON.parse(safeJson(samplePlan()))).toEqual(samplePlan());
  });

  it("as annotations, worst first", () => {
    const text = renderGithub(planView(samplePlan()), "infra/");
    expectGolden("plan.github.txt", text);
    expect(renderGithub(planView(planOf([])))).toBe(
      "::notice title=edgewise plan (stack edge-prod)::No changes. Live matches the manifests (3 resources).\n",
    );
  });

  it("as counts for a merge request", () => {
    expect(JSON.parse(renderPlansGitlab([samplePlan()]))).toEqual({ create: 2, update: 4, delete: 2 });
  });
});
