import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compilePolicy, evaluatePolicies } from "../../src/policies/compile-policy.ts";
import { runs } from "../support/runs.ts";

const edge = (name: string, fields: readonly object[] = []) => ({
  address: `TLSEdge/${name}`,
  action: "update",
  fields,
});

function hitsOf(expressions: readonly string[], plan: object): readonly string[] {
  return evaluatePolicies({ expressions, plan: JSON.stringify(plan) }, () => undefined).hits.map(
    ({ address, error, policy }) => `${policy} ${address ?? "plan"}${error === null ? "" : `: ${error}`}`,
  );
}

describe("evaluatePolicies", () => {
  it("gives the fields in the shape of a manifest, the whole module or its members", () => {
    const whole = edge("a", [{ path: "spec.tls_termination", before: null, after: { min_version: "1.0" } }]);
    const member = edge("b", [
      { path: "spec.tls_termination.min_version", before: "1.2", after: "1.0" },
      { path: "spec.tls_termination.terminate_at", before: null, after: "edge" },
      { path: "metadata.marker", before: null, after: "x" },
    ]);
    const gone = edge("c", [{ path: "spec.tls_termination", before: { min_version: "1.2" }, after: null }]);
    const plan = { changes: [whole, member, gone, edge("d")] };
    expect(
      hitsOf(
        [
          "change.after.spec.?tls_termination.?min_version.orValue('') == '1.0'",
          "change.before.spec.?tls_termination.?min_version.orValue('') == '1.2'",
          "change.after.?metadata.?marker.hasValue()",
        ],
        plan,
      ),
    ).toEqual(["0 TLSEdge/a", "0 TLSEdge/b", "1 TLSEdge/b", "1 TLSEdge/c", "2 TLSEdge/b"]);
  });

  it("shows what is not there on one side as no member of it, so that a default counts", () => {
    const fields = [
      { path: "spec.hostports", before: ["a.example:443"], after: null },
      { path: "spec.mutual_tls", before: { enabled: true }, after: null },
      { path: "spec.tls_termination.min_version", before: null, after: "1.3" },
    ];
    const expressions = [
      'change.after.spec.?hostports.orValue([]).exists(h, h == "a.example:443")',
      'change.before.spec.?hostports.orValue([]).exists(h, h == "a.example:443")',
      "has(change.before.spec.mutual_tls) && !has(change.after.spec.mutual_tls)",
      'change.before.spec.tls_termination.?min_version.orValue("1.2") == "1.2"',
      "has(change.before.spec.backend) || has(change.after.spec.backend)",
    ];
    const hits = ["1 TLSEdge/a", "2 TLSEdge/a", "3 TLSEdge/a"];
    expect(hitsOf(expressions, { changes: [edge("a", fields)] })).toEqual(hits);
  });

  it("takes paths of fields from a plan that somebody wrote, and gives them no way to prototypes", () => {
    const field = (path: string): object => ({ path, before: null, after: { polluted: 1 } });
    const fields = ["__proto__.polluted", "spec.__proto__", "constructor.prototype", "spec.constructor.name"].map(
      field,
    );
    const expressions = ["change.after.spec.?polluted.hasValue()", 'change.after["__proto__"].polluted.polluted == 1'];
    expect(hitsOf(expressions, { changes: [edge("a", fields)] })).toEqual(["1 TLSEdge/a"]);
    expect({}).not.toHaveProperty("polluted");
  });

  it("never throws and never lets an expression pass as false that has no value, whatever the expression is", () => {
    const plan = JSON.stringify({ summary: {}, changes: [edge("a")] });
    const word = fc.constantFrom(
      ..."change plan . .? [ ] ( ) { } , : ? && || ! == < in + - true null 1 'a' matches exists x name fields size has cel.bind".split(
        " ",
      ),
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ maxLength: 40 }),
          fc.array(word, { maxLength: 14 }).map((words) => words.join(" ")),
        ),
        (expression) => {
          const { hits } = evaluatePolicies({ expressions: [expression], plan }, () => undefined);
          if (typeof compilePolicy(expression) === "string")
            expect(hits).toMatchObject([{ address: null, error: expect.any(String) }]);
        },
      ),
      runs(150),
    );
  });
});
