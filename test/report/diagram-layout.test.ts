import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Arrow, layoutDiagram, nodeHeight, reduceArrows, spread } from "../../src/report/diagram-layout.ts";
import { runs } from "../support/runs.ts";

const arrow = (from: number, to: number): Arrow => ({ from, to, label: "use" });

describe("the drawing of the order", () => {
  it("leaves out arrows that others imply, and refuses cycles", () => {
    const reduced = reduceArrows(4, [arrow(0, 1), arrow(1, 2), arrow(0, 2), arrow(0, 3), arrow(2, 3)]);
    expect(reduced?.arrows.map(({ from, to }) => `${from}${to}`).sort()).toEqual(["01", "12", "23"]);
    expect(reduceArrows(2, [arrow(0, 1), arrow(1, 0)])).toBeNull();
  });

  it("draws operations to the right of those they wait for, and none over another", () => {
    const arrows = Array.from({ length: 150 }, (_, index) => arrow(index % 50, 50 + ((index * 7) % 100)));
    const reduced = reduceArrows(150, arrows);
    const layout = layoutDiagram(reduced?.order ?? [], reduced?.arrows ?? []);
    for (const { from, to } of arrows) expect(layout.nodes.get(from)?.x).toBeLessThan(layout.nodes.get(to)?.x ?? 0);
    const columns = new Map<number, number[]>();
    for (const { x, y } of layout.nodes.values()) columns.set(x, [...(columns.get(x) ?? []), y]);
    for (const ys of columns.values()) {
      ys.sort((a, b) => a - b).forEach((y, index) =>
        expect(index === 0 || y - (ys[index - 1] ?? 0) >= nodeHeight).toBe(true),
      );
      for (const y of ys) expect(y >= 0 && y + nodeHeight <= layout.height).toBe(true);
    }
  });
});

describe("spreading a column", () => {
  it("keeps order and distance, and grants preferences that do not collide", () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ preferred: fc.integer({ min: 0, max: 500 }), height: fc.integer({ min: 1, max: 50 }) })),
        (items) => {
          const middles = spread(
            items.map((item) => item.preferred),
            items.map((item) => item.height),
          );
          for (const [index, { height }] of items.entries()) {
            if (index === 0) continue;
            const gap = (middles[index] ?? 0) - (middles[index - 1] ?? 0);
            expect(gap).toBeGreaterThanOrEqual((height + (items[index - 1]?.height ?? 0)) / 2 - 1e-6);
          }
        },
      ),
      runs(),
    );
    expect(spread([10, 100], [20, 20])).toEqual([10, 100]);
    expect(spread([50, 50], [20, 20])).toEqual([40, 60]);
  });
});
