import { describe, it } from "vitest";
import { renderPlanHtml } from "../../src/report/plan-html.js";
import { expectGolden } from "./golden.js";
import { samplePlan } from "./sample-plan.js";

describe("plan as html", () => {
  it("shows something of everything", async () => {
    expectGolden("plan.html", await renderPlanHtml(samplePlan(), { commit: "89abcdef" }));
  });
});
