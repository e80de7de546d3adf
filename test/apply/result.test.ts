import { expect, it } from "vitest";
import { type OperationStatus, type Outcome, exitCodeOf, makeResult, outcomeOf } from "../../src/apply/result.ts";
import { planOf } from "./support/operations.ts";

it.each<[Outcome, readonly OperationStatus[]]>([
  ["nothing", []],
  ["applied", ["done", "done"]],
  ["partial", ["done", "failed"]],
  ["partial", ["unknown", "skipped"]],
  ["failed", ["failed", "skipped"]],
])("%s: %j", (outcome, statuses) => {
  expect(outcomeOf(statuses.map((status) => ({ status })))).toBe(outcome);
});

it.each<[number, Outcome, boolean | null, boolean]>([
  [0, "applied", true, false],
  [3, "applied", false, false],
  [3, "applied", null, true],
  [0, "nothing", true, false],
  [1, "nothing", false, false],
  [130, "nothing", null, true],
  [3, "partial", true, false],
  [3, "partial", false, true],
  [1, "failed", null, false],
  [130, "failed", null, true],
  [4, "refused", null, false],
])("exit %i: %s, verified %s, interrupted %s", (code, outcome, verified, interrupted) => {
  expect(exitCodeOf({ outcome, verified, interrupted })).toBe(code);
});

it("a result holds what was found afterwards too", () => {
  const warning = { code: "lock-lost", message: "m" } as const;
  const report = { outcome: "applied", operations: [], warnings: [warning], interrupted: false } as const;
  const plan = planOf([]);
  expect(makeResult(plan, report, null)).toMatchObject({ format: "edgewise.result/v1", stack: "demo", verified: null });
  const verified = makeResult(plan, report, { verified: false, warnings: [{ code: "not-converged", message: "n" }] });
  expect(verified).toMatchObject({
    verified: false,
    warnings: [{ code: "lock-lost" }, { code: "not-converged" }],
    refusals: [],
  });
});

it("a result tells the refusals of a plan that was not run", () => {
  const refusals = [{ code: "lockout", message: "m", remedy: "r" }] as const;
  const report = { outcome: "refused", operations: [], warnings: [], interrupted: false } as const;
  expect(makeResult(planOf([], { refusals }), report, null).refusals).toEqual(refusals);
});
