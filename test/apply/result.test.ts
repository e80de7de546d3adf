import { expect, it } from "vitest";
import { type OperationStatus, type Outcome, exitCodeOf, outcomeOf } from "../../src/apply/result.ts";

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
