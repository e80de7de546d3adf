import { expect, it } from "vitest";
import { planView } from "../../src/report/plan-view.ts";
import { renderHtml } from "../../src/report/report-html.ts";
import { change, field, operation, planOf } from "./sample-plan.ts";

it.each([
  ["short texts", (index: number) => `${index} & more`],
  ["policies of 300 lines", (index: number) => `- deny: <${index}> & "others"\n`.repeat(300)],
])("2,000 changes of %s fit into a page of 5 MB, the gravest in full", (_what, text) => {
  const changes = Array.from({ length: 2000 }, (_, index) => ({
    ...change(`TLSEdge/edge-${index}`, "update", [field("spec.traffic_policy.value", null, text(index))]),
    impact: index === 1999 ? ("security" as const) : ("cosmetic" as const),
  }));
  const operations = changes.map(({ address }, index) => operation(`op-${index + 1}`, { address }));
  const html = renderHtml(planView(planOf(changes, { operations })));
  expect(Buffer.byteLength(html)).toBeLessThanOrEqual(5_000_000);
  const gravest = html.slice(html.indexOf("TLSEdge/edge-1999"));
  expect(gravest.slice(0, gravest.indexOf("</details>"))).toContain("spec.traffic_policy.value");
  for (const { address } of changes) expect(html).toContain(`>${address}<`);
});
