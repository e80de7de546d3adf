import { describe, expect, it } from "vitest";
import { verify } from "../../src/apply/verify.ts";
import { EdgewiseError } from "../../src/errors.ts";
import type { Plan } from "../../src/plan/plan-format.ts";
import { changeOf, patch, planOf } from "./support/operations.ts";

function verifying(plan: Plan) {
  return verify({ replan: () => Promise.resolve(plan) });
}

describe("planning again", () => {
  it("that gives nothing verifies", async () => {
    expect(await verifying(planOf([]))).toEqual({ verified: true, warnings: [] });
  });

  it("that gives changes names each with its fields", async () => {
    const plan = planOf([patch("op-1", "api", {}), patch("op-2", "b", {})], { changes: [changeOf("TLSEdge/api", 1)] });
    const { verified, warnings } = await verifying(plan);
    expect(verified).toBe(false);
    expect(warnings).toEqual([
      {
        code: "not-converged",
        message: "TLSEdge/api is still to be changed (update: spec.hostports)",
        address: "TLSEdge/api",
      },
      { code: "not-converged", message: "TLSEdge/b still has to be written", address: "TLSEdge/b" },
    ]);
  });

  it("that is refused for twins says so", async () => {
    const refusal = { code: "duplicate-marker", address: "TLSEdge/api", message: "m: 1, 2", remedy: "r" } as const;
    expect(await verifying(planOf([], { refusals: [refusal] }))).toEqual({
      verified: false,
      warnings: [{ code: "duplicate-marker", message: "m: 1, 2 r", address: "TLSEdge/api" }],
    });
  });

  it("that fails verifies nothing", async () => {
    const { verified, warnings } = await verify({
      replan: () => Promise.reject(new EdgewiseError("list-unbelievable", "page 2 is missing")),
    });
    expect(verified).toBe(false);
    expect(warnings).toMatchObject([{ code: "verify-failed" }]);
    expect(warnings[0]?.message).toContain("page 2 is missing");
  });

  it("that shows a bug is not hidden", async () => {
    await expect(verify({ replan: () => Promise.reject(new TypeError("bug")) })).rejects.toThrow(TypeError);
  });
});
