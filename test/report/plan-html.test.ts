import { expect, it } from "vitest";
import { planView } from "../../src/report/plan-view.ts";
import { escapeHtml } from "../../src/report/escape.ts";
import { renderHtml } from "../../src/report/report-html.ts";
import { samplePlan } from "./sample-plan.ts";

it("a plan as html has every change, field, refusal, warning and operation", async () => {
  const { changes, operations, refusals, warnings } = samplePlan();
  const html = renderHtml(planView(samplePlan()));
  for (const { address, fields } of changes) {
    expect(html).toContain(`<span class="name mono">${address}</span>`);
    for (const { path } of fields) expect(html).toContain(path);
  }
  for (const { message } of [...refusals, ...warnings]) expect(html).toContain(escapeHtml(message));
  for (const { address } of operations) expect(html).toContain(`${address}</td>`);
});
