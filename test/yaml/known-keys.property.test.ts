import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseAny } from "../../src/yaml/parse-any.ts";
import { parseFile } from "../../src/yaml/parse-file.ts";
import { runs } from "../support/runs.ts";

/** Keys that begin like one another, and what only looks like a key. */
const keys = fc.constantFrom(
  ..."a: |a:x|ab: |ab:|ab : |abc: |a-b: |a.b: |true: |1: |é: |é:|\"a\": |'ab': |__proto__: |<<: |- a: |- ab:x|a:\t|a:\r".split(
    "|",
  ),
);

/** Documents with the same keys in the same order for the most part, of which any may be the last. */
const files = fc
  .tuple(
    fc.array(keys, { minLength: 1, maxLength: 4 }),
    fc.array(
      fc.tuple(
        fc.nat(3),
        keys,
        fc.constantFrom("x", "", "\n  a: 1", "\n  ab:\n    a: 2", "[a, b]", "{a: 1}", "|\n  ab: c"),
      ),
      {
        minLength: 1,
        maxLength: 5,
      },
    ),
    fc.constantFrom("\n", ""),
  )
  .map(([usual, documents, end]) =>
    documents
      .map(([at, other, value]) =>
        usual
          .with(at % usual.length, other)
          .map((key) => key + value)
          .join("\n"),
      )
      .join("\n---\n")
      .concat(end),
  );

/** With the order of members, which is that of the keys in the text. */
const exact = (file: ReturnType<typeof parseFile>): string => JSON.stringify(file);

describe("a key that is expected because it followed the one before it", () => {
  it("is read as the YAML library reads it, whatever stands there instead", () => {
    fc.assert(
      fc.property(files, (text) => {
        expect(exact(parseFile(text))).toBe(exact(parseAny(text)));
      }),
      runs(300),
    );
  });
});
