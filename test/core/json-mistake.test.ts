import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findJsonMistake } from "../../src/manifest/checks/json-mistake.ts";
import { runs } from "../support/runs.ts";

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

describe("the first mistake in a text that is not JSON", () => {
  it("is none in any JSON, with one character taken away from it or not", () => {
    fc.assert(
      fc.property(fc.json(), fc.nat(), (text, at) => {
        expect(findJsonMistake(text)).toBeNull();
        const cut = text.slice(0, at % text.length) + text.slice((at % text.length) + 1);
        const found = findJsonMistake(cut);
        expect(found === null).toBe(isJson(cut));
        if (found !== null) expect(found.index).toBeLessThanOrEqual(cut.length);
      }),
      runs(200),
    );
  });

  it.each([
    ['{"a": 1,}', 7, "Remove the comma."],
    ['{"a": 1 "b": 2}', 8, "Put a comma after the item before it."],
    ['{"a": True}', 6, "Write true."],
    ['{"a": 007}', 6, "Write it in decimal digits, without a leading zero or +, or put it in quotes."],
    ['{"a": [1, 2}', 11, "Write ] before it."],
    ['{"a": {"b": 1}', 0, "Close it with }."],
    ['{"a": "x\ny"}', 6, "Close it, or write \\n for a line break inside a text."],
    ['{"a": "\\d"}', 7, "Write a backslash as \\\\."],
    ["{} {}", 3, "Remove what follows the last bracket."],
  ])("of %j is at %i", (text, index, remedy) => {
    expect(findJsonMistake(text)).toMatchObject({ index, remedy });
  });
});
