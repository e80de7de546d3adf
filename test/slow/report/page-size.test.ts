import { describe, expect, it } from "vitest";
import type { Impact } from "../../../src/kinds/impact.ts";
import type { Change } from "../../../src/plan/plan-format.ts";
import { renderDriftHtml } from "../../../src/report/drift-html.ts";
import { renderPlanHtml } from "../../../src/report/plan-html.ts";
import { driftOf, finding } from "../../report/sample-drift.ts";
import { change, field, operation, planOf } from "../../report/sample-plan.ts";

const most = 5_000_000;
const bytesOf = (html: string): number => Buffer.byteLength(html, "utf8");

/** An address with the longest name that a manifest may have. */
const longAddress = (index: number): `TLSEdge/${string}` => `TLSEdge/${String(index).padStart(100, "n")}`;
const evil = "<b>&\"'`::x \u202e\u{e0041}";
const impactOf = (index: number): Impact => (index % 1000 === 999 ? "security" : "cosmetic");

function changesOf(count: number, after = "new"): readonly Change[] {
  return Array.from({ length: count }, (_, index) => ({
    ...change(longAddress(index), "update", [field("spec.description", "old", after)]),
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

const largePolicy = (mark: string): string =>
  JSON.stringify({
    on_tcp_connect: Array.from({ length: 8000 }, (_, index) => ({
      name: `rule ${index} ${evil}`,
      actions: [{ type: "log", config: { mark, at: index } }],
    })),
  });

describe("a page as html is bounded", () => {
  it.each([
    ["many changes with long names", () => planOf(changesOf(30_000), { operations: operations(30_000) })],
    ["changes with huge values", () => planOf(changesOf(60, `x\n${evil.repeat(5000)}`.repeat(3)))],
    ["one change with a huge value", () => planOf(changesOf(1, `${evil}\n`.repeat(200_000)))],
    [
      "one change with many fields",
      () =>
        planOf([
          change(
            "TLSEdge/a",
            "update",
            Array.from({ length: 10_000 }, (_, index) => field(`spec.f${index}`, evil, evil.repeat(20))),
          ),
        ]),
    ],
    [
      "policies of a megabyte",
      () => {
        const fields = [field("spec.traffic_policy.value", largePolicy("a"), largePolicy("b"))];
        return planOf([change("TLSEdge/a", "update", fields), change("TLSEdge/b", "update", fields)]);
      },
    ],
    ["many refusals and warnings", () => planOf([], { refusals: notices(10_000, 3), warnings: notices(10_000, 3) })],
    ["huge refusals", () => planOf([], { refusals: notices(100, 100_000), warnings: notices(100, 100_000) })],
    [
      "operations that all wait for each other",
      () => {
        const all = operations(200).map((one, to) => {
          const after = Array.from({ length: to < 100 ? 0 : 100 }, (_, from) => `op-${from + 1}`);
          return { ...one, after, waits: Object.fromEntries(after.map((id) => [id, "use" as const])) };
        });
        return planOf([], { operations: all });
      },
    ],
    [
      "names of any length",
      () => ({ ...planOf(changesOf(2)), stack: evil.repeat(400_000), baseUrl: evil.repeat(400_000) }),
    ],
  ])("for a plan of %s", async (_what, make) => {
    const html = await renderPlanHtml(make());
    expect(bytesOf(html)).toBeLessThanOrEqual(most);
    expect(html).not.toContain('<b>&"');
    expect(html.trimEnd().endsWith("</html>")).toBe(true);
  });

  it.each([
    ["many findings", 30_000, "new"],
    ["huge values", 60, `x\n${evil.repeat(5000)}`.repeat(3)],
  ])("for drift with %s", async (_what, count, after) => {
    const findings = Array.from({ length: count }, (_, index) => ({
      ...finding("modified"),
      address: longAddress(index),
      impact: impactOf(index),
      fields: [field("spec.description", "old", after)],
    }));
    const html = await renderDriftHtml({ ...driftOf(findings), warnings: notices(10_000, 3) });
    expect(bytesOf(html)).toBeLessThanOrEqual(most);
    if (count > 1000) expect(html).toContain(longAddress(999));
  });
});

describe("a page that does not hold everything", () => {
  it("shows the worst changes in full, others as a line, and counts the rest", async () => {
    const html = await renderPlanHtml(planOf(changesOf(30_000), { operations: operations(30_000) }));
    for (let index = 999; index < 30_000; index += 1000) {
      const card = html.slice(html.indexOf(`data-name="${longAddress(index)}"`));
      expect(card.slice(0, card.indexOf("data-name", 10))).toContain("spec.description");
    }
    const full = html.split('<details class="card" data-group').length - 1;
    const lines = html.split('<div class="card plain row" data-group').length - 1;
    expect(full).toBeGreaterThan(1000);
    expect(lines).toBeGreaterThan(1000);
    expect(html).toContain(`of 30000 changes, the worst by impact come first: ${full} in full, ${lines} shortened`);
    expect(html).toContain(`${30_000 - full - lines} only counted`);
    expect(html).toContain(`${30_000 - full - lines} more changes not shown`);
    expect(html).toContain("edgewise show PLANFILE --compact");
    expect(html).toContain("more operations not shown");
  });

  it("shows the gravest fields and much of a change that does not fit", async () => {
    const fields = Array.from({ length: 60_000 }, (_, index) => ({
      ...field(`spec.f${index}`, "old", "new"),
      ...(index === 55_555 ? { impact: "security" as const, reason: "everybody may connect" } : {}),
    }));
    const html = await renderPlanHtml(planOf([change("TLSEdge/a", "update", fields)]));
    expect(html).toContain("everybody may connect");
    expect(html).toContain("spec.f1000<");
    expect(html).toContain("58000 more fields");
    expect(html).toContain("<code>edgewise show PLANFILE --compact</code>");
  });
});
