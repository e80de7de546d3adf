import { describe, expect, it } from "vitest";
import { renderPlanHtml } from "../../src/report/plan-html.ts";
import { expectGolden } from "./expect-golden.ts";
import { operation, planOf, samplePlan } from "./sample-plan.ts";

/** What a page says, without its style, script, pictures and tags. */
function textOf(html: string): string {
  return html
    .replaceAll(/<(style|script|svg)\b.*?<\/\1>/gs, "")
    .replaceAll(/<(?!\/)[^>]*>/g, " ")
    .replaceAll(/<\/(?:div|p|li|tr|h\d|summary|dd|figcaption|title|a|legend)>/g, "\n")
    .replaceAll(/<[^>]*>/g, "")
    .replaceAll(/[ \t]+/g, " ")
    .replaceAll(/\s*\n\s*/g, "\n");
}

describe("plan as html", () => {
  it("shows something of everything", async () => {
    expectGolden("plan-html.txt", textOf(await renderPlanHtml(samplePlan(), { commit: "89abcdef" })));
  });

  it("draws operations that wait alike as one, and tables all of them", async () => {
    const operations = Array.from({ length: 201 }, (_, index) =>
      operation(`op-${index}`, {
        address: `TLSEdge/e${index}`,
        after: index > 0 ? ["op-0"] : [],
        waits: index > 0 ? { "op-0": "use" } : {},
      }),
    );
    const html = await renderPlanHtml(planOf([], { operations }));
    expect(html.match(/<g class=/g)).toHaveLength(2);
    expect(html).toContain("200 × update");
    for (const { address } of operations) expect(html).toContain(`<td class="mono">${address}</td>`);
  });
});
