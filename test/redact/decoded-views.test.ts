import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { plainView, withoutEscapes } from "../../src/redact/decoded-views.ts";
import { runs } from "../support/runs.ts";

/** What escapes are made of, whole and broken, beside what needs none. */
const pieces =
  'a|B|7|;|x|u|{|}|\\|\\\\|\\n|\\"|\\u0041|\\x41|\\u{41}|\\u{1F680}|\\u{1F68|%41|%4|%|&amp;|&lt;|&am|&#65;|&#x1F680;|&#|🚀|\u200b|é'.split(
    "|",
  );

const texts = fc.array(fc.constantFrom(...pieces), { maxLength: 14 }).map((parts) => parts.join(""));

const textOf = ({ length, units }: { readonly units: Uint16Array; readonly length: number }): string =>
  String.fromCharCode(...units.subarray(0, length));

/** A text with its escapes undone once; itself when there are none. */
function undone(text: string): string {
  const view = withoutEscapes(plainView(text));
  return view === null ? text : textOf(view);
}

const isHalf = (unit: number | undefined): boolean => unit !== undefined && unit >= 0xdc00 && unit <= 0xdfff;

describe("a view with escapes undone", () => {
  it.each([
    ["\\u0041\\x42\\u{43}", "ABC"],
    ["%41b&amp;&#67;&#x44;", "Ab&CD"],
    ["a\u200bb", "ab"],
    ["\\u{1F680}!", "🚀!"],
    ["\\\\u0041", "\\u0041"],
  ])("reads %s", (text, meant) => {
    expect(undone(text)).toBe(meant);
  });

  it.each(["", "plain", "50% off", "a & b", "\\", "&#;"])("is none where nothing is escaped: %s", (text) => {
    expect(withoutEscapes(plainView(text))).toBeNull();
  });

  it("knows of each span of it where the text is that says the same", () => {
    fc.assert(
      fc.property(texts, fc.nat(), fc.nat(), (text, a, b) => {
        const view = withoutEscapes(plainView(text));
        if (view === null) return;
        const [start = 0, end = 0] = [a % (view.length + 1), b % (view.length + 1)].toSorted((x, y) => x - y);
        // Halves of a pair come from one escape.
        if (start === end || isHalf(view.units[start]) || isHalf(view.units[end])) return;
        const place = view.place(start, end);
        expect(undone(text.slice(place.start, place.end))).toBe(textOf(view).slice(start, end));
      }),
      runs(2000),
    );
  });

  it("has both halves of a character at the start of its escape", () => {
    const view = withoutEscapes(plainView("ab\\u{1F680}cd"));
    expect([2, 3, 4].map((unit) => view?.place(unit, unit).start)).toEqual([2, 2, 11]);
  });

  it("knows it through two levels, and in a long text", () => {
    const inner = `${"x".repeat(2000)}%41${"\\n".repeat(3000)}secret-value`;
    const once = withoutEscapes(plainView(inner.replaceAll("%", "%25").replaceAll("\\", "\\\\")));
    const twice = once === null ? null : withoutEscapes(once);
    if (twice === null) throw new Error("nothing was escaped");
    const at = textOf(twice).indexOf("secret-value");
    expect(at).toBe(2000 + 1 + 3000);
    expect(twice.place(at, twice.length)).toEqual({ start: 2000 + 5 + 9000, end: 2000 + 5 + 9000 + 12 });
  });
});
