import { describe, expect, it } from "vitest";
import type { Operation, WaitReason } from "../../src/plan/plan-format.ts";
import { layoutChain, nodeHeight, nodeWidth, rowOfChain } from "../../src/report/diagram-layout.ts";
import { groupOperations, longestChain } from "../../src/report/operation-groups.ts";
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

const grouped = (operations: readonly Operation[]) => {
  const all = groupOperations(operations, (index) => operations[index]?.kind ?? "");
  expect(all).not.toBeNull();
  return all ?? { groups: [], last: [], independent: 0 };
};
const numbered = <T>(count: number, make: (index: number) => T): readonly T[] =>
  Array.from({ length: count }, (_, i) => make(i));

describe("operations in groups that depend on each other", () => {
  it("takes the wait of deletes for everything else as no dependency", () => {
    const { groups, independent, last } = grouped(
      operationsOf({ a: {}, b: { a: "use" }, c: {}, d: { a: "last", b: "last", c: "last" } }),
    );
    expect(groups.map(({ nodes }) => nodes)).toEqual([[[0], [1]]]);
    expect(last).toEqual([3]);
    expect(independent).toBe(1);
  });

  it("makes one node of operations that wait alike, and none of those that don't", () => {
    const star = Object.fromEntries(numbered(30, (index) => [`e${index}`, { c: "use" } as const]));
    const { groups } = grouped(operationsOf({ c: {}, ...star, z: { c: "same" } }));
    expect(groups[0]?.nodes.map((members) => members.length)).toEqual([1, 30, 1]);
    expect(groups[0]?.arrows).toHaveLength(2);
  });

  it("shows one group of many of the same shape, and counts the others", () => {
    const pairs = Object.fromEntries(
      numbered(100, (index) => [
        [`a${index}`, {}],
        [`b${index}`, { [`a${index}`]: "use" as const }],
      ]).flat(),
    );
    const { groups } = grouped(operationsOf({ ...pairs, x: {}, y: { x: "free" } }));
    expect(groups.map(({ alike, nodes }) => [nodes.length, alike])).toEqual([
      [2, 0],
      [2, 99],
    ]);
    expect(groups[1]?.operationsAlike).toBe(198);
    // What is released and taken comes first.
    expect(groups[0]?.arrows[0]?.label).toBe("free");
  });

  it("finds the longest chain of a group, and none where operations wait for each other", () => {
    const waits = { a: {}, b: { a: "use" }, c: { b: "use", a: "use" }, d: { a: "use" }, e: { c: "free" } } as const;
    const [group] = grouped(operationsOf(waits)).groups;
    expect(longestChain(group ?? { nodes: [], arrows: [] }).nodes).toEqual([[0], [1], [2], [4]]);
    const [cycle] = grouped(operationsOf({ a: { b: "use" }, b: { a: "use" } })).groups;
    expect(longestChain(cycle ?? { nodes: [], arrows: [] }).nodes).toEqual([]);
  });

  it("groups thousands of operations", () => {
    const waits = Object.fromEntries(
      numbered(6000, (index) => [`o${index}`, index % 3 === 0 ? {} : { [`o${index - 1}`]: "free" as const }]),
    );
    const { groups } = grouped(operationsOf(waits));
    expect(groups).toHaveLength(1);
    expect(groups[0]?.operationsAlike).toBe(5997);
  });
});

describe("the picture of the order", () => {
  it("goes back and forth with a chain, without a node over another", () => {
    const layout = layoutChain(numbered(10, (from) => ({ from, to: from + 1, label: "free" })));
    const places = [...layout.nodes.values()];
    expect(places).toHaveLength(11);
    for (const [index, { x, y }] of places.entries()) {
      expect(x >= 0 && x + nodeWidth <= layout.width && y >= 0 && y + nodeHeight <= layout.height).toBe(true);
      const next = places[index + 1];
      if (next === undefined) continue;
      // The next one is beside it, or below it at the end of a row.
      expect((index + 1) % rowOfChain === 0 ? next.x === x && next.y > y : next.y === y && next.x !== x).toBe(true);
    }
  });

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
