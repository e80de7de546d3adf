import { describe, expect, it } from "vitest";
import { safeJson } from "../../src/core/visible.ts";
import { renderResultMarkdown, renderResultText } from "../../src/report/result-report.ts";
import { expectGolden } from "./expect-golden.ts";
import { planOf, samplePlan } from "./sample-plan.ts";
import { operationResult, resultOf, sampleResult } from "./sample-result.ts";

describe("the report of an apply", () => {
  it("is exact when it went wrong half-way", () => {
    expectGolden("result.txt", renderResultText(sampleResult(), samplePlan(), { color: false }));
    const verbose = renderResultText(sampleResult(), samplePlan(), { color: false, verbose: true });
    expect(verbose).toContain("\n      op-3: PATCH /edges/tls/edgtls_1, HTTP 400\n");
    expectGolden("result.md", renderResultMarkdown(sampleResult(), samplePlan()));
    expect(JSON.parse(safeJson(sampleResult()))).toEqual(sampleResult());
  });

  it.each([
    [{ outcome: "applied", verified: null }, /^APPLIED {2}Not verified[^]*Next: Wait .* then\s+run plan/],
    [{ outcome: "applied", verified: null, interrupted: true }, /^APPLIED {2}Not verified. The run was interrupted/],
    [{ outcome: "applied", verified: false }, /^NOT CONVERGED[^]*Next: Run plan later/],
    [{ outcome: "nothing", verified: null, interrupted: true }, /^INTERRUPTED[^]*Next: Run apply again/],
    [{ outcome: "failed", verified: null }, /^FAILED {2}Nothing was changed/],
    [
      { outcome: "partial", verified: null, interrupted: true },
      /^PARTIAL {2}Not all operations were applied. The run was interrupted/,
    ],
  ] as const)("is headed by what happened: %o", (more, expected) => {
    expect(renderResultText(resultOf(more), planOf([]), { color: false })).toMatch(expected);
  });

  it("stays below the limit of comments whatever happened", () => {
    const operations = Array.from({ length: 5000 }, (_, index) =>
      operationResult(`op-${index}`, {
        address: `TLSEdge/e${index}`,
        status: index % 2 === 0 ? "failed" : "done",
        error: "`".repeat(index % 50) + "@all <b> | #1".repeat(20),
      }),
    );
    const text = renderResultMarkdown(resultOf({ outcome: "partial", operations }), planOf([]));
    expect(text.length).toBeLessThan(65_000);
    expect(text).toMatch(/and \*\*\d+ more\*\*/);
    expect(text).toContain("2500 done, 2500 failed.");
  });
});
