import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseJson } from "../../src/core/json.ts";
import { runs } from "../support/runs.ts";

function depthOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

describe("parseJson", () => {
  it("reads what is not nested deeper than the limit, and nothing else, whatever texts in it look like", () => {
    const values = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 6 },
        fc.constantFrom("[[[[{{{{", '"[', "\\", "}]", "{", 1, true, null),
        fc.array(tie("value"), { maxLength: 3 }),
        fc.dictionary(fc.constantFrom("a", "[[[[", '\\"{'), tie("value"), { maxKeys: 3 }),
      ),
    })).value;
    fc.assert(
      fc.property(values, fc.nat({ max: 5 }), (value, deepest) => {
        const text = JSON.stringify(value);
        const read = parseJson(text, deepest);
        expect(read).toEqual(depthOf(value) > deepest ? { problem: "depth" } : { value: JSON.parse(text) });
      }),
      runs(300),
    );
  });

  it("says of a text that is no JSON which problem it has", () => {
    expect(parseJson("{")).toEqual({ problem: "syntax" });
    expect(parseJson("[".repeat(100_000))).toEqual({ problem: "syntax" });
    expect(parseJson("[".repeat(100_000) + "]".repeat(100_000))).toEqual({ problem: "depth" });
  });
});
