import type { OperationResult, Result } from "../../src/apply/result.ts";

export function operationResult(
  id: string,
  more: Partial<OperationResult> & Pick<OperationResult, "address">,
): OperationResult {
  return { id, kind: "patch", status: "done", httpStatus: 200, resourceId: null, error: null, ...more };
}

export function resultOf(more: Partial<Result> = {}): Result {
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

export function sampleResult(): Result {
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
