import { expect, it } from "vitest";
import type { Impact } from "../../../src/kinds/impact.ts";
import type { Change } from "../../../src/plan/plan-format.ts";
import { planView } from "../../../src/report/plan-view.ts";
import { driftView } from "../../../src/report/drift-view.ts";
import { renderHtml } from "../../../src/report/report-html.ts";
import { driftOf, finding } from "../../report/sample-drift.ts";
import { change, field, operation, planOf } from "../../report/sample-plan.ts";

const most = 5_000_000;

/** An address with the longest name that a manifest may have. */
const longAddress = (index: number): `TLSEdge/${string}` => `TLSEdge/${String(index).padStart(100, "n")}`;
const evil = "<b>&\"'`::x \u202e\u{e0041}";
const impactOf = (index: number): Impact => (index % 1000 === 999 ? "security" : "cosmetic");

function changesOf(count: number, after = "new"): readonly Change[] {
  return Array.from({ length: count }, (_, index) => ({
    ...change(longAddress(index), "update", [field("spec.description", `old ${index}`, after)]),
    impact: impactOf(index),
  }));
}

const operations = (count: number) =>
  Array.from({ length: count }, (_, index) => operation(`op-${index + 1}`, { address: longAddress(index) }));

const notices = (count: number, length: number) =>
  Array.from({ length: count }, (_, index) => ({
    code: "deletion-protected" as const,
    address: longAddress(index),
    message: `${index} ${evil.repeat(length)}`,
    remedy: evil.repeat(length),
  }));

function expectBounded(html: string): void {
  expect(Buffer.byteLength(html, "utf8")).toBeLessThanOrEqual(most);
  expect(html).not.toContain('<b>&"');
  expect(html.trimEnd().endsWith("</html>")).toBe(true);
}

it.each([
  ["changes with huge values", () => planOf(changesOf(60, `x\n${evil.repeat(5000)}`.repeat(3)))],
  ["one change with a huge value", () => planOf(changesOf(1, `${evil}\n`.repeat(200_000)))],
  ["many refusals and warnings", () => planOf([], { refusals: notices(10_000, 3), warnings: notices(10_000, 3) })],
  ["huge refusals", () => planOf([], { refusals: notices(100, 100_000), warnings: notices(100, 100_000) })],
])("a page as html is bounded for a plan of %s", async (_what, make) => {
  expectBounded(renderHtml(planView(make())));
});

it("a page as html is bounded for drift", async () => {
  const findings = changesOf(30_000).map(({ address, fields, impact }) =>
    finding("modified", { address, fields, impact }),
  );
  const html = renderHtml(driftView({ ...driftOf(findings), warnings: notices(10_000, 3) }));
  expectBounded(html);
  expect(html).toContain(longAddress(999));
});

it("a page that does not hold everything shows the worst in full, others as a line, and counts the rest", async () => {
  const html = renderHtml(planView(planOf(changesOf(30_000), { operations: operations(30_000) })));
  expectBounded(html);
  for (let index = 999; index < 30_000; index += 1000) {
    const card = html.slice(html.indexOf(`data-name="${longAddress(index)}"`));
    expect(card.slice(0, card.indexOf("data-name", 10))).toContain("spec.description");
  }
  const full = html.split('<details class="card" data-group').length - 1;
  const lines = html.split('<div class="card plain row" data-group').length - 1;
  expect(html).toContain(`of 30000 changes, the worst by impact come first: ${full} in full, ${lines} shortened`);
  expect(html).toContain(`${30_000 - full - lines} more changes not shown`);
  expect(html).toContain("more operations not shown");
});
