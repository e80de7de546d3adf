import { describe, expect, it } from "vitest";
import { safeJson } from "../../src/core/visible.ts";
import { renderResultMarkdown, renderResultText } from "../../src/report/result-report.ts";
import { expectGolden } from "./expect-golden.ts";
import { planOf, samplePlan } from "./sample-plan.ts";
import type { OperationResult, Result } from "../../src/apply/result.ts";

function operationResult(
  id: string,
  more: Partial<OperationResult> & Pick<OperationResult, "address">,
): OperationResult {
  return { id, kind: "patch", status: "done", httpStatus: 200, resourceId: null, error: null, ...more };
}

function resultOf(more: Partial<Result> = {}): Result {
  return {
    format: "edgewise.result/v1",
    stack: "edge-prod",
    outcome: "applied",
    verified: true,
    operations: [],
    refusals: [],
    warnings: [],
    interrupted: false,
    ...more,
  };
}

function sampleResult(): Result {
  return resultOf({
    outcome: "partial",
    verified: null,
    operations: [
      operationResult("op-1", {
        address: "HTTPResponseBackend/maintenance",
        kind: "create",
        httpStatus: 201,
        resourceId: "bkdhr_77",
      }),
      operationResult("op-2", {
        address: "TLSCertificate/api",
        kind: "create",
        status: "unknown",
        httpStatus: null,
        error: "no answer within 30s, and the list doesn't show it",
      }),
      operationResult("op-3", {
        address: "TLSEdge/api",
        status: "failed",
        httpStatus: 400,
        resourceId: "edgtls_7Qf",
        error: "400 ERR_X_218: hostport c.example.com:443 is not yours (operation op_1a2b3c)",
      }),
      operationResult("op-4", {
        address: "TLSEdge/admin",
        status: "skipped",
        httpStatus: null,
        error: "waits for op-3 (patch TLSEdge/api), which failed",
      }),
    ],
    warnings: [
      {
        code: "released-hostport-restored",
        message: "b.example.com:443 was given back to TLSEdge/api.",
        address: "TLSEdge/api",
      },
    ],
  });
}

describe("the report of an apply", () => {
  it("is exact when it went wrong half-way", () => {
    expectGolden("result.txt", renderResultText(sampleResult(), samplePlan(), { color: false }));
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
