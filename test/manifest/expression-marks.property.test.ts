import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ExpressionMarks } from "../../src/manifest/expression-marks.ts";
import { mayHoldExpression } from "../../src/manifest/variables.ts";
import { parseFile } from "../../src/yaml/parse-file.ts";
import { runs } from "../support/runs.ts";
import { withReturns, written } from "../yaml/support/written-yaml.ts";

/** Ways to write an expression, and what has parts of one. */
const pieces = [
  ...'${{|$|\\|{{ x }}|$${{ vars.x }}|${vars.x}|"\\u0024{{ vars.x }}"|"\\x24{env.A}"|"$\\\n  {vars.x}"|$\n  {{ vars.x }}'.split(
    "|",
  ),
  ..."---\n;a: ;\n;- ;|\n  ;>\n  ;&a ;*a;'${{ vars.x }}';\"${{ vars.x }}\";\r\n;%YAML 1.2\n---\n;...\n;# $\n;é".split(
    ";",
  ),
];

const texts = fc
  .tuple(
    written,
    fc.nat(1000),
    fc.constantFrom(...pieces),
    fc.nat(3),
    fc.array(fc.constantFrom(...pieces, "k: v\n"), { maxLength: 6 }),
  )
  .map(([text, at, piece, returns, more]) => {
    const where = at % (text.length + 1);
    return withReturns(text.slice(0, where) + piece + text.slice(where) + more.join(""), returns);
  });

function holdsExpression(value: unknown): boolean {
  if (typeof value === "string") return mayHoldExpression(value);
  return typeof value === "object" && value !== null && Object.values(value).some(holdsExpression);
}

describe("the marks of expressions in a file", () => {
  it("are in every document whose value holds one", () => {
    let found = 0;
    fc.assert(
      fc.property(texts, (text) => {
        const marks = new ExpressionMarks(text);
        for (const document of parseFile(text).documents) {
          if (!holdsExpression(document.value)) continue;
          found += 1;
          expect(marks.areIn(document)).toBe(true);
        }
      }),
      runs(200),
    );
    expect(found).toBeGreaterThan(0);
  });
});
