import { describe, expect, it } from "vitest";
import { renderPlanMarkdown } from "../../src/report/plan-markdown.js";
import { expectGolden } from "./golden.js";
import { change, field, planOf, samplePlan } from "./sample-plan.js";

describe("plan as markdown", () => {
  it("shows something of everything", async () => {
    expectGolden(
      "plan.md",
      await renderPlanMarkdown(samplePlan(), { commit: "89abcdef0123456789abcdef0123456789abcdef" }),
    );
  });

  it("says that nothing changes", async () => {
    expectGolden("plan-empty.md", await renderPlanMarkdown(planOf([])));
  });
});
