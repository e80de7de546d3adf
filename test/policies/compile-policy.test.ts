import { describe, expect, it } from "vitest";
import { compilePolicy } from "../../src/policies/compile-policy.ts";

const change = {
  address: "TLSEdge/api",
  kind: "TLSEdge",
  name: "api",
  action: "update",
  source: null,
  before: { spec: {} },
  after: { spec: { tls_termination: { min_version: "1.0" }, hostports: ["a.example:443", null] } },
};
const plan = { summary: { delete: 3n }, changes: [change] };

/** `true`, `false`, or what is wrong. */
function outcome(expression: string): string {
  const compiled = compilePolicy(expression);
  if (typeof compiled === "string") return compiled;
  try {
    return String(compiled.holds({ change, plan }));
  } catch (error) {
    return error instanceof Error ? `error: ${error.message}` : "error";
  }
}

describe("compilePolicy", () => {
  it.each([
    ["change.kind == 'TLSEdge' && change.action != 'delete'", "true"],
    ["change.after.spec.?tls_termination.?min_version.orValue('1.2') in ['1.0', '1.1']", "true"],
    ["change.after.spec.?mutual_tls.?enabled.orValue(false)", "false"],
    ["plan.summary.delete + 1 > 3", "true"],
  ])("evaluates %s", (expression, expected) => {
    expect(outcome(expression)).toBe(expected);
  });

  it.each([
    ["((change", /^Expected RPAREN.* \(line 1, column 9 of the expression\)$/],
    ["true &&\n  chnge.kind == 'x'", /^Unknown variable: chnge \(line 2, column 3 of the expression\)$/],
    ["change.adress == 'x'", /^No such key: adress \(line 1, column 8/],
    // They differ between `plan --base`, `plan` and `apply`.
    ["plan.base == 'x'", /^No such key: base/],
    ["1 + 1", /^it gives a value of type int, not true or false$/],
    ["bytes(change.name) == b'api'", /^bytes can't be used/],
    ["change.name.matches('(')", /^"\(" is not a pattern of RE2.* \(line 1, column 21/],
    [`${"(".repeat(60)}true${")".repeat(60)}`, /^Exceeded maxDepth/],
    [`${"true && ".repeat(3000)}true`, /^Exceeded max/],
  ])("refuses %s", (expression, message) => {
    expect(outcome(expression)).toMatch(message);
  });

  it.each([
    ["change.kind", "error: it gives a value of type string, not true or false"],
    ["change.source.file == 'x'", /^error: No such key: file/],
  ])("can't evaluate %s", (expression, message) => {
    expect(outcome(expression)).toMatch(message);
  });

  it.each([
    ["change.kind == 'TLSEdge'", true],
    ["plan.changes.exists(c, c.name == change.name)", true],
    ["cel.bind(change, change.kind, change == 'TLSEdge')", true],
    ["plan.changes.all(change, change.kind == 'TLSEdge')", false],
    ["plan.changes.filter(plan, plan.nothing == 1).size() == 1", false],
    ["plan.summary.delete > 2", false],
  ])("knows whether %s is about single changes", (expression, perChange) => {
    expect(compilePolicy(expression)).toMatchObject({ perChange });
  });

  it.each(["constructor", "__proto__", "prototype", "toString", "hasOwnProperty", "valueOf"])(
    "reaches nothing of JavaScript by the name %s",
    (name) => {
      for (const of of [
        "change.after.spec",
        "plan.changes",
        "change.after.spec.hostports",
        "'a'",
        "1",
        "cel",
        "{}",
        "true",
      ]) {
        expect(outcome(`dyn(${of})['${name}'] == 1`)).not.toBe("true");
        expect(outcome(`type(dyn(${of}).${name}) == string`)).not.toBe("true");
        expect(outcome(`dyn(${of}).${name}() == 1`)).not.toBe("true");
      }
      expect(outcome(`{'${name}': 1}.size() <= 1`)).toBe("true");
      expect(Object.getOwnPropertyNames(Object.prototype)).toHaveLength(12);
    },
  );
});
