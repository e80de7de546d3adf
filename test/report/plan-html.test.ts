import { describe, expect, it } from "vitest";
import { renderPlanHtml } from "../../src/report/plan-html.ts";
import { expectGolden } from "./expect-golden.ts";
import { operation, planOf, samplePlan } from "./sample-plan.ts";

/** What a page says, without its style, script and tags. */
function textOf(html: string): string {
  return html
    .replaceAll(/<(style|script)\b.*?<\/\1>/gs, "")
    .replaceAll(/<(?!\/)[^>]*>/g, " ")
    .replaceAll(/<\/(?:div|p|li|tr|h\d|summary|dd|title|a|legend)>/g, "\n")
    .replaceAll(/<[^>]*>/g, "")
    .replaceAll(/[ \t]+/g, " ")
    .replaceAll(/\s*\n\s*/g, "\n");
}

describe("plan as html", () => {
  it("shows something of everything", async () => {
    expectGolden("plan-html.txt", textOf(await renderPlanHtml(samplePlan(), { commit: "89abcdef" })));
  });

  it("tables all operations", async () => {
    const operations = Array.from({ length: 201 }, (_, index) =>
      operation(`op-${index}`, {
        address: `TLSEdge/e${index}`,
        after: index > 0 ? ["op-0"] : [],
        waits: index > 0 ? { "op-0": "use" } : {},
      }),
    );
    const html = await renderPlanHtml(planOf([], { operations }));
    for (const { address } of operations) expect(html).toContain(`<td class="mono">${address}</td>`);
  });
});
