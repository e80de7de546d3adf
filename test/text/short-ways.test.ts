import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { wrap } from "../../src/text/layout.ts";
import { guardRunner } from "../../src/text/visible.ts";
import { runs } from "../support/runs.ts";

/** {@link wrap} without its short way for texts that fit. */
function wrapped(text: string, width: number, first: string, rest: string): readonly string[] {
  const lines: string[] = [];
  let indent = first;
  for (const paragraph of text.split("\n")) {
    let line = "";
    for (const word of paragraph.split(" ")) {
      const joined = line === "" ? word : `${line} ${word}`;
      if (line === "" || indent.length + joined.length <= width) line = joined;
      else {
        lines.push(indent + line);
        indent = rest;
        line = word;
      }
    }
    lines.push(indent + line);
    indent = rest;
  }
  return lines;
}

const pieces = (...some: readonly string[]): fc.Arbitrary<string> =>
  fc.array(fc.constantFrom(...some), { maxLength: 12 }).map((parts) => parts.join(""));

describe("what is short for most texts is exact for all:", () => {
  it("lines that fit", () => {
    const indent = fc.constantFrom("", "  ", "a: ");
    fc.assert(
      fc.property(pieces(" ", "a", "bcd", "\n", "é"), fc.nat(16), indent, indent, (text, width, first, rest) => {
        expect(wrap(text, width, first, rest)).toEqual(wrapped(text, width, first, rest));
      }),
      runs(3000),
    );
  });

  it("reports without a runner's commands", () => {
    fc.assert(
      fc.property(pieces(":", "::", "#", "##", "[", "a", " ", "\t", "\n", "\u001b[1m", "é"), (text) => {
        const guarded = text
          // eslint-disable-next-line no-control-regex
          .replaceAll(/^((?:[^\S\n\r\u2028\u2029]|\u001b\[[0-9;]*m)*):(?=:)/gm, "$1\\u003a")
          .replaceAll(/#(?=#\w{0,64}\[)/g, "\\u0023");
        expect(guardRunner(text)).toBe(guarded);
      }),
      runs(3000),
    );
  });
});
