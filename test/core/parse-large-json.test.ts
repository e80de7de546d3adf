import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseJson } from "../../src/parse-json.ts";
import { LargeJsonParser } from "../../src/parse-large-json.ts";
import { runs } from "../support/runs.ts";

const deepest = 12;

/** Reads a text in pieces of some lengths, the last one again and again. */
function inPieces(text: string, lengths: readonly number[]): ReturnType<typeof parseJson> {
  const parser = new LargeJsonParser(deepest);
  let at = 0;
  for (let piece = 0; at < text.length; piece += 1) {
    const length = lengths[Math.min(piece, lengths.length - 1)] ?? 1;
    parser.push(text.slice(at, at + length));
    at += length;
  }
  return parser.end();
}

const lengths = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 20 });
const odd = fc.constantFrom(
  ...'{}[]",:\\ \n\t',
  "\\u0041",
  "__proto__",
  "null",
  "1e5",
  "-",
  "\ufeff",
  "\u0000",
  "]]",
  "}{",
  '"a":',
);

describe("a parser of large JSON", () => {
  it("reads what a parser of the whole text reads, however it is cut", () => {
    const documents = fc.oneof(
      fc.json({ maxDepth: 4 }),
      fc
        .dictionary(fc.string(), fc.oneof(fc.jsonValue({ maxDepth: 3 }), fc.array(fc.jsonValue({ maxDepth: 2 }))))
        .map((value) => JSON.stringify(value, null, 2)),
    );
    fc.assert(
      fc.property(documents, lengths, (text, cuts) => {
        expect(inPieces(text, cuts)).toStrictEqual(parseJson(text, deepest));
      }),
      runs(100),
    );
  });

  it("finds the same problem in a broken text, and none where there is none", () => {
    const broken = fc
      .tuple(
        fc.dictionary(fc.string({ maxLength: 5 }), fc.jsonValue({ maxDepth: 3 })).map((value) => JSON.stringify(value)),
        fc.array(fc.tuple(fc.nat(), fc.nat({ max: 4 }), fc.oneof(odd, fc.constant(""))), {
          minLength: 1,
          maxLength: 4,
        }),
      )
      .map(([text, edits]) =>
        edits.reduce((whole, [place, left, more]) => {
          const at = place % (whole.length + 1);
          return whole.slice(0, at) + more + whole.slice(at + left);
        }, text),
      );
    const wild = fc.array(odd, { maxLength: 30 }).map((parts) => parts.join(""));
    fc.assert(
      fc.property(fc.oneof(broken, wild), lengths, (text, cuts) => {
        expect(inPieces(text, cuts)).toStrictEqual(parseJson(text, deepest));
      }),
      runs(400),
    );
  });

  it("keeps every item of long lists, also where a batch ends", () => {
    const long = { before: "x".repeat(70_000), items: Array.from({ length: 30_000 }, (_, at) => ({ at })), after: [] };
    for (const text of [JSON.stringify(long), JSON.stringify(long, null, 2)]) {
      expect(inPieces(text, [65_536])).toStrictEqual({ value: long });
      expect(inPieces(text, [777])).toStrictEqual({ value: long });
      const cut = text.replace('{"at":15000}', "");
      expect(inPieces(cut, [65_536])).toStrictEqual(parseJson(cut, deepest));
    }
    const trailing = `{"items":["${"x".repeat(70_000)}", ]}`;
    expect(inPieces(trailing, [65_536])).toStrictEqual({ problem: "syntax" });
  });
});
