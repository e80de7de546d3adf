import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { feedbackSet } from "../../src/plan/feedback-set.ts";
import { OperationGraph, strongComponents } from "../../src/plan/operation-graph.ts";
import { runs } from "../support/runs.ts";

type Pairs = readonly (readonly [number, number])[];

function graphOf(size: number, pairs: Pairs): OperationGraph {
  const graph = new OperationGraph(size);
  for (const [earlier, later] of pairs) graph.add(earlier, later, "free");
  return graph;
}

function isBroken(size: number, pairs: Pairs, cuts: ReadonlySet<number>): boolean {
  const left = pairs.filter(([earlier, later]) => !cuts.has(earlier) && !cuts.has(later));
  return strongComponents(graphOf(size, left)).length === 0;
}

/** Every set of nodes, tried out: how few are enough, and how many of so few can be preferred ones. */
function optimum(
  size: number,
  pairs: Pairs,
  { canCut, preferred }: { canCut: readonly boolean[]; preferred: readonly boolean[] },
) {
  let best: { count: number; preferred: number } | null = null;
  for (let mask = 0; mask < 2 ** size; mask += 1) {
    const cuts = Array.from({ length: size }, (_, node) => node).filter((node) => ((mask >> node) & 1) === 1);
    if (!cuts.every((node) => canCut[node] === true) || (best !== null && cuts.length > best.count)) continue;
    if (!isBroken(size, pairs, new Set(cuts))) continue;
    const liked = cuts.filter((node) => preferred[node] === true).length;
    if (best === null || cuts.length < best.count || liked > best.preferred)
      best = { count: cuts.length, preferred: liked };
  }
  return best;
}

const graphs = (least: number, most: number) =>
  fc.integer({ min: least, max: most }).chain((size) =>
    fc.record({
      size: fc.constant(size),
      pairs: fc.array(fc.tuple(fc.nat({ max: size - 1 }), fc.nat({ max: size - 1 })), { maxLength: 3 * size }),
      canCut: fc.array(
        fc.integer({ min: 0, max: 5 }).map((chance) => chance > 0),
        { minLength: size, maxLength: size },
      ),
      preferred: fc.array(fc.boolean(), { minLength: size, maxLength: size }),
    }),
  );

describe("what is cut to break cycles", () => {
  it("is as little as can be, and as much of it preferred as can be", () => {
    fc.assert(
      fc.property(graphs(2, 8), ({ size, pairs, canCut, preferred }) => {
        const best = optimum(size, pairs, { canCut, preferred });
        const cuts = feedbackSet(graphOf(size, pairs), {
          canCut: (node) => canCut[node] === true,
          preferred: (node) => preferred[node] === true,
        });
        expect(cuts.every((node) => canCut[node])).toBe(true);
        fc.pre(best !== null);
        expect(isBroken(size, pairs, new Set(cuts))).toBe(true);
        expect(cuts).toHaveLength(best?.count ?? 0);
        expect(cuts.filter((node) => preferred[node])).toHaveLength(best?.preferred ?? 0);
      }),
      runs(300),
    );
  });

  it("is never more than twice the least in larger components, and nothing needless", () => {
    fc.assert(
      fc.property(graphs(13, 15), ({ size, pairs, preferred }) => {
        const all = Array.from({ length: size }, () => true);
        const cuts = feedbackSet(graphOf(size, pairs), {
          canCut: () => true,
          preferred: (node) => preferred[node] === true,
        });
        expect(isBroken(size, pairs, new Set(cuts))).toBe(true);
        for (const cut of cuts)
          expect(isBroken(size, pairs, new Set(cuts.filter((other) => other !== cut)))).toBe(false);
        const least = optimum(size, pairs, { canCut: all, preferred: all });
        expect(cuts.length).toBeLessThanOrEqual(2 * (least?.count ?? 0));
      }),
      { ...runs(10), seed: 1 },
    );
  });

  it("is one node of a circle, however long, and a preferred one", () => {
    const size = 500;
    const circle: Pairs = Array.from({ length: size }, (_, node) => [node, (node + 1) % size]);
    expect(feedbackSet(graphOf(size, circle), { canCut: () => true, preferred: (node) => node === 321 })).toEqual([
      321,
    ]);
  });
});
