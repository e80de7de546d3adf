import { count, listFew } from "../core/text.js";
import { palette } from "./styles.js";
import { visibleLine } from "../core/visible.js";
import type { PolicyTestReport, PolicyTestResult, TestedPolicy } from "../policies/run-tests.js";

export function renderPolicyTestText({ policies }: PolicyTestReport, { color }: { readonly color: boolean }): string {
  const { add, alarm, bold } = palette(color);
  const lines = policies.flatMap(({ effect, name, tests }) => [
    `${bold(name)} (${effect})${tests.length === 0 ? ": has no tests" : ""}`,
    ...tests.map((test) => `  ${test.passed ? add("ok  ") : alarm("FAIL")} ${visibleLine(describe(test))}`),
  ]);
  return `${lines.join("\n")}\n\n${summaryOf(policies)}\n`;
}

function describe({ actual, address, error, expected, matched, passed, plan }: PolicyTestResult): string {
  const subject = address === null ? plan : `${plan}, ${address}`;
  if (error !== null) return `${subject}: expected ${expected}, but ${error}`;
  const where = matched.length === 0 || address !== null ? "" : ` (${listFew(matched, 5)})`;
  return passed ? `${subject}: ${actual}${where}` : `${subject}: expected ${expected}, got ${actual}${where}`;
}

function summaryOf(policies: readonly TestedPolicy[]): string {
  const tests = policies.flatMap((policy) => policy.tests);
  const failed = tests.filter(({ passed }) => !passed).length;
  const untested = policies.filter((policy) => policy.tests.length === 0).length;
  const without = untested === 0 ? "" : `; ${count(untested, "policy has", "policies have")} no tests`;
  const outcome = tests.length === 0 ? "nothing was tested" : failed === 0 ? "all passed" : `${failed} failed`;
  return `${count(tests.length, "test")} of ${count(policies.length, "policy", "policies")}: ${outcome}${without}.`;
}
