import { describe, expect, it } from "vitest";
import type { Operation, WaitReason } from "../../src/plan/plan-format.ts";
import { operationsHtml } from "../../src/report/operations-diagram.ts";
import { operation, planOf } from "./sample-plan.ts";

/** Operations by name; each waits for others by name and reason. */
function operationsOf(
  waits: { readonly [name: string]: { readonly [other: string]: WaitReason } },
  more: { readonly [name: string]: Partial<Operation> } = {},
): readonly Operation[] {
  return Object.entries(waits).map(([name, others]) =>
    operation(name, { address: `TLSEdge/${name}`, after: Object.keys(others), waits: others, ...more[name] }),
  );
}

const numbered = <T>(count: number, make: (index: number) => T): readonly T[] =>
  Array.from({ length: count }, (_, i) => make(i));

describe("the picture of the order", () => {
  it("is a list as well, of the same operations and their reasons", () => {
    const html = operationsHtml(planOf([], { operations: operationsOf({ a: {}, b: { a: "use" } }) }));
    expect(html).toContain(
      "<li>a: update TLSEdge/a</li><li>b: update TLSEdge/b; after a: uses what the other creates</li>",
    );
    expect(html.match(/<g class=/g)).toHaveLength(2);
  });

  it("says what it does not draw, and never draws more than can be read", () => {
    const random = (seed: number): number => (Math.imul(seed, 2_654_435_761) >>> 0) / 2 ** 32;
    const waits = Object.fromEntries(
      numbered(200, (index) => {
        const others = numbered(index === 0 ? 0 : 3, (n) => Math.floor(random(index * 7 + n) * index));
        return [`o${index}`, Object.fromEntries(others.map((other) => [`o${other}`, "use" as const]))];
      }),
    );
    const operations = operationsOf(waits);
    const html = operationsHtml(planOf([], { operations }));
    expect(html.match(/<g class=/g)?.length).toBeLessThanOrEqual(60);
    expect(html).toMatch(/The longest chain, or its beginning, of \d+ operations that depend on each other/);
    for (const [, width] of html.matchAll(/<svg width="(\d+)"/g)) expect(Number(width)).toBeLessThanOrEqual(1010);
    const dense = operationsOf(
      Object.fromEntries(
        numbered(700, (to) => [`o${to}`, Object.fromEntries(numbered(to, (from) => [`o${from}`, "use" as const]))]),
      ),
    );
    expect(operationsHtml(planOf([], { operations: dense }))).toBe(
      '<p class="soft">There are too many operations to draw: the table lists them.</p>',
    );
    expect(operationsHtml(planOf([], { operations: operationsOf({ a: {}, b: {} }) }))).toContain("run in parallel");
  });
});
