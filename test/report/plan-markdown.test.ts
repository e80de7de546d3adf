import { describe, expect, it } from "vitest";
import { planView } from "../../src/report/plan-view.ts";
import { renderMarkdown } from "../../src/report/report-markdown.ts";
import { expectGolden } from "./expect-golden.ts";
import { change, field, planOf, policy, samplePlan } from "./sample-plan.ts";

describe("plan as markdown", () => {
  it("shows something of everything", async () => {
    expectGolden("plan.md", renderMarkdown(planView(samplePlan())));
  });

  it("names every change as long as the names fit, and leaves out differences first", async () => {
    const deletes = Array.from({ length: 600 }, (_, index) =>
      change(`TLSEdge/gone-${index}`, "delete", [], { reason: "r".repeat(300), impact: "routing" }),
    );
    const updates = Array.from({ length: 600 }, (_, index) =>
      change(`TLSEdge/up-${index}`, "update", [
        field("spec.traffic_policy.value", policy(400 + index, false), policy(403, true)),
      ]),
    );
    const text = renderMarkdown(planView(planOf([...updates, ...deletes])));
    const open = text.slice(text.indexOf("### Delete "), text.indexOf("### Changes"));
    for (let index = 0; index < 600; index += 1) expect(open).toContain(`\`TLSEdge/gone-${index}\``);
    for (let index = 0; index < 600; index += 1) expect(text).toMatch(new RegExp(`TLSEdge/up-${index}[\`<]`));
    expect(text.length).toBeLessThanOrEqual(65_000);
  });

  it("counts the deletes that do not fit", async () => {
    const deletes = Array.from({ length: 5000 }, (_, index) => change(`TLSEdge/gone-${index}`, "delete", []));
    const text = renderMarkdown(planView(planOf(deletes)), 20_000);
    const open = text.slice(text.indexOf("### Delete "));
    const named = open.match(/^- delete/gm)?.length ?? 0;
    expect(named).toBeGreaterThan(100);
    expect(open).toContain(`and **${5000 - named} more** omitted`);
    expect(text.length).toBeLessThanOrEqual(20_000);
  });
});
