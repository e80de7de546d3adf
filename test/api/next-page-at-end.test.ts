import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { nextPageAtEnd } from "../../src/api/next-page.ts";
import { runs } from "../support/runs.ts";

const address = "https://api.example.com/edges/tls?before_id=edgtls_2&limit=100";
const asItIs = (text: string): string => text;
const found = (text: string, withoutKey = asItIs): string | null => nextPageAtEnd(Buffer.from(text), withoutKey);

/** A page that is long enough to be parsed later, and how it ends. */
const page = (end: string, filler = "x".repeat(5000)): string => `{"tls_edges":[{"id":"${filler}"}],"uri":"/"${end}`;

describe("the next page of a long page", () => {
  it.each([
    ["as services write it", `,"next_page_uri":"${address}"}`],
    ["with blanks", ` ,\n  "next_page_uri" : "${address}"\r\n}\n`],
    ["beside an earlier one, which does not count", `,"next_page_uri":"/other","next_page_uri":"${address}"}`],
    ["after letters that are no ASCII", `,"title":"日本語 é 🙂","next_page_uri":"${address}"}`],
  ])("is found %s", (_, end) => {
    expect(found(page(end))).toBe(address);
    expect(JSON.parse(page(end))).toMatchObject({ next_page_uri: address });
  });

  it.each([
    ["a short page", `{"tls_edges":[],"next_page_uri":"${address}"}`],
    ["the last page", page(`,"next_page_uri":null}`)],
    ["members in another order", page(`,"next_page_uri":"${address}","total":3}`)],
    ["an escape", page(`,"next_page_uri":"https:\\/\\/api.example.com/edges/tls?2"}`)],
    ["letters that are no ASCII", page(`,"next_page_uri":"/edges/tls?é"}`)],
    ["blanks in it", page(`,"next_page_uri":"/edges/tls 2"}`)],
    ["an empty text", page(`,"next_page_uri":""}`)],
    ["a number", page(`,"next_page_uri":2}`)],
    ["another name", page(`,"not_next_page_uri":"${address}"}`)],
    ["a member of something else", page(`,"links":{"next_page_uri":"${address}"}}`)],
    ["a list", page(`,"next_page_uri":["${address}"]}`)],
    ["a text that says so", page(`,"title":"\\"next_page_uri\\":\\"${address}\\"}"}`)],
    ["an address that is longer than what is looked at", page(`,"next_page_uri":"/${"a".repeat(3000)}"}`)],
  ])("is left to the parser for %s", (_, text) => {
    expect(found(text)).toBeNull();
  });

  it("is without the API key, as everything that a service returns", () => {
    const masked = (text: string): string => text.replaceAll("hunter2", "***");
    expect(found(page(`,"next_page_uri":"/edges/tls?key=hunter2"}`), masked)).toBe("/edges/tls?key=***");
  });

  it("is what parsing finds, whatever stands before it", () => {
    const piece = fc.oneof(
      fc.constantFrom('"', "\\", "{", "}", "[", "]", ",", ":", '"next_page_uri"', `"${address}"`, " ", "\n"),
      fc.string({ unit: "binary", maxLength: 4 }),
    );
    const texts = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(""));
    const ends = fc.oneof(
      texts,
      fc.constantFrom(`,"next_page_uri":"${address}"}`, `"next_page_uri":"${address}"}`, `"${address}"}`),
    );
    const members = fc.dictionary(fc.constantFrom("next_page_uri", "uri", "", '"'), fc.oneof(fc.string(), texts));
    const valid = members.map((more) => JSON.stringify({ tls_edges: ["x".repeat(4100)], ...more }));
    const cut = fc.tuple(texts, ends).map(([text, end]) => `{"tls_edges":["${"x".repeat(4100)}"]${text}${end}`);
    let compared = 0;
    fc.assert(
      fc.property(fc.oneof(valid, cut), (text) => {
        const next = found(text);
        if (next === null) return;
        let parsed: unknown;
        try {
          parsed = JSON.parse(text);
        } catch {
          return;
        }
        compared += 1;
        expect(parsed).toMatchObject({ next_page_uri: next });
      }),
      runs(3000),
    );
    expect(compared).toBeGreaterThan(50);
  });
});
