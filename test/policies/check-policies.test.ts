import { expect, it } from "vitest";
import type { ConfiguredPolicy } from "../../src/config/config.ts";
import { policyDiagnostics } from "../../src/policies/check-policies.ts";

it("policyDiagnostics does not blame an expression where no process can be started to check it", async () => {
  const policy: ConfiguredPolicy = {
    name: "a",
    expression: "true",
    message: "m",
    effect: "deny",
    tests: [],
    problem: () => {
      throw new Error("the expression is blamed");
    },
  };
  const { execPath } = process;
  process.execPath = "/nonexistent/node";
  try {
    // More at once than may be left over from before.
    const outcomes = await Promise.allSettled([1, 2, 3].map(async () => policyDiagnostics([policy])));
    expect(outcomes.find(({ status }) => status === "rejected")).toMatchObject({
      reason: {
        code: "config",
        message:
          "the expressions of the policies can't be checked: the process for it failed: spawn /nonexistent/node ENOENT",
      },
    });
  } finally {
    process.execPath = execPath;
  }
  expect(await policyDiagnostics([policy])).toEqual([]);
});
