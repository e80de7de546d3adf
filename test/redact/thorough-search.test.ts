import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { withoutEscapes, plainView, type View } from "../../src/redact/decoded-views.ts";
import { PartFilter } from "../../src/redact/part-filter.ts";
import { PartIndex, partLength } from "../../src/redact/part-index.ts";
import { Redactor } from "../../src/redact/redactor.ts";
import { Spellings, secretForms } from "../../src/redact/secret-spellings.ts";
import { runs } from "../support/runs.ts";

/** A span as the two indexes of a text between which it is. */
type Span = readonly [start: number, end: number];

/** What the redactor must find, the long way: every index of every view is compared with every part and every spelling. */
function thorough(text: string, secrets: readonly string[], isHidden: (part: string) => boolean): readonly Span[] {
  const parts = new Set<string>();
  for (const secret of secrets) {
    for (const spelt of [secret, Buffer.from(secret).toString("latin1")]) {
      for (let at = 0; at + partLength <= spelt.length; at += 1) parts.add(spelt.slice(at, at + partLength));
    }
  }
  const spans: Span[] = [...wholes(text, secrets)];
  for (const { read, place } of views(text)) {
    for (let at = 0; at < read.length; at += 1) {
      const start = at;
      let worthHiding = false;
      while (parts.has(read.slice(at, at + partLength))) {
        worthHiding ||= isHidden(read.slice(at, at + partLength));
        at += 1;
      }
      if (worthHiding) spans.push(place(start, at - 1 + partLength));
    }
  }
  const joined: Span[] = [];
  for (const [start, end] of spans.toSorted(([a], [b]) => a - b)) {
    const last = joined.at(-1);
    if (last === undefined || start >= last[1]) joined.push([start, end]);
    else joined[joined.length - 1] = [last[0], Math.max(end, last[1])];
  }
  return joined;
}

/** The spellings of secrets in a text. */
function wholes(text: string, secrets: readonly string[]): readonly Span[] {
  return longest(
    text,
    secrets.filter(({ length }) => length <= 64).flatMap((secret) => secretForms(secret)),
  );
}

/** The longest spelling at each index. */
function longest(text: string, forms: readonly string[]): readonly Span[] {
  const isWord = (at: number): boolean => /[A-Za-z0-9]/.test(text.charAt(at));
  const found: Span[] = [];
  for (let at = 0; at < text.length; at += 1) {
    const here = forms.filter(
      (form) =>
        text.startsWith(form, at) &&
        (form.length >= 8 || ((text.charAt(at - 2) === "\\" || !isWord(at - 1)) && !isWord(at + form.length))),
    );
    const length = Math.max(0, ...here.map((form) => form.length));
    if (length === 0) continue;
    found.push([at, at + length]);
    at += length - 1;
  }
  return found;
}

interface Reading {
  readonly read: string;
  readonly place: (start: number, end: number) => Span;
}

function views(text: string): readonly Reading[] {
  const found: Reading[] = [];
  let view: View | null = plainView(text);
  for (let level = 0; level <= 4 && view !== null; level += 1) {
    const { place, units, length }: View = view;
    const read = String.fromCharCode(...units.subarray(0, length));
    const placed = (from: number, to: number): Span => {
      const { start, end } = place(from, to);
      return [start, end];
    };
    found.push({ read, place: placed });
    if (level < 2) {
      for (const each of decoded(read, /[A-Za-z0-9+/_-]+/g, "base64", 6, 4)) found.push(inside(each, placed));
      for (const each of decoded(read, /[0-9A-Fa-f]+/g, "hex", 4, 2)) found.push(inside(each, placed));
    }
    view = withoutEscapes(view);
  }
  return found;
}

function inside({ read, place }: Reading, outer: (start: number, end: number) => Span): Reading {
  return { read, place: (start, end) => outer(...place(start, end)) };
}

function decoded(
  text: string,
  run: RegExp,
  encoding: BufferEncoding,
  bits: number,
  period: number,
): readonly Reading[] {
  return [...text.matchAll(run)].flatMap(({ 0: digits, index }) =>
    Array.from({ length: period }, (_, skipped) => ({
      read: Buffer.from(digits.slice(skipped), encoding).toString("latin1"),
      place: (start: number, end: number): Span => [
        index + skipped + Math.floor((start * 8) / bits),
        index + skipped + Math.ceil((end * 8) / bits),
      ],
    })),
  );
}

const letter = fc.constantFrom(..."ABCDEFGHJKLMNPQRSTUVWXYZ0123456789abcdefgh_-/+=");
const strange = fc.constantFrom(...'é€🔑\ud83d\ude00\n \\"%&<'.split(""), "🔒");
const usual = fc
  .array(fc.oneof({ weight: 6, arbitrary: letter }, { weight: 1, arbitrary: strange }), { minLength: 4, maxLength: 60 })
  .map((letters) => letters.join(""));
/** One that begins again inside of itself. */
const repetitive = fc.string({ unit: fc.constantFrom("a", "b"), minLength: 4, maxLength: 9 });
const secretText = fc.oneof({ weight: 4, arbitrary: usual }, { weight: 1, arbitrary: repetitive });

const spell = fc.constantFrom<((text: string) => string)[]>(
  (text) => text,
  (text) => JSON.stringify(text),
  (text) => JSON.stringify(JSON.stringify(text)).slice(1, -1),
  (text) => [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, "0")}`).join(""),
  (text) => text.replaceAll(/[^]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`),
  (text) => [...text].map((point) => `&#x${(point.codePointAt(0) ?? 0).toString(16)};`).join(""),
  (text) => [...text].join("\u200b"),
  (text) => Buffer.from(text).toString("base64"),
  (text) => Buffer.from(text).toString("base64url"),
  (text) => Buffer.from(`?${text}>`).toString("base64"),
  (text) => Buffer.from(`~?${text}`).toString("base64"),
  (text) => Buffer.from(text).toString("hex"),
  (text) => Buffer.from(text, "latin1").toString("base64"),
  (text) => Buffer.from(text).toString("hex").toUpperCase(),
  (text) => `a${Buffer.from(text).toString("hex")}`,
  (text) => Buffer.from(text, "utf16le").toString("hex"),
  (text) => [...text].toReversed().join(""),
);

const noise = fc.oneof(
  fc.string({ unit: fc.constantFrom(...'abcdefghij .:,/\\"%&<>{}[]\n-+_=09AF'), maxLength: 20 }),
  fc.string({ unit: "binary", maxLength: 8 }),
  fc.string({ unit: fc.constantFrom("a", "b", "-"), maxLength: 12 }),
  fc.constantFrom("\\u00", "%4", "&#x", "(secret)", "ab".repeat(300), "0".repeat(20), "\ud83d"),
);

/** Base64 with every other digit that differs between the alphabets in that of URLs. */
function inBothAlphabets(digits: string, first: number): string {
  let at = first;
  return digits.replaceAll(/[+/=]/g, (digit) => {
    at += 1;
    return digit === "=" ? "" : at % 2 === 0 ? digit : digit === "+" ? "-" : "_";
  });
}

/** Secrets, and a text made of noise and of pieces of them in all spellings, some of them cut in two. */
const cases = fc.array(secretText, { minLength: 1, maxLength: 4 }).chain((secrets) =>
  fc.record({
    secrets: fc.constant(secrets),
    pieces: fc.array(
      fc.oneof(
        noise,
        fc
          .record({
            secret: fc.constantFrom(...secrets),
            from: fc.nat(50),
            length: fc.integer({ min: 1, max: 60 }),
            first: spell,
            second: spell,
            cut: fc.nat(200),
          })
          .map(({ secret, from, length, first, second, cut }) => {
            const start = from % secret.length;
            return second(first(secret.slice(start, start + length))).slice(cut % 3 === 0 ? cut % 20 : 0);
          }),
      ),
      { maxLength: 6 },
    ),
  }),
);

function search(secrets: readonly string[]): { readonly some: Redactor; readonly index: PartIndex } {
  const index = new PartIndex();
  const some = new Redactor(index);
  for (const secret of secrets) some.add(secret);
  return { some, index };
}

describe("the search for secrets", () => {
  it("finds what comparing every index with every part finds, and nothing else", () => {
    let found = 0;
    fc.assert(
      fc.property(cases, ({ secrets, pieces }) => {
        const text = pieces.join("");
        const { some, index } = search(secrets);
        // What is public is read with the first text that holds a part of a secret.
        some.redact(secrets.join(" "));
        const isHidden = (part: string): boolean => !index.isOpen(plainView(part).units, part.length);
        const spans = some.spans(text).map(({ start, end }) => [start, end]);
        found += spans.length;
        expect(spans).toEqual(thorough(text, secrets, isHidden));
      }),
      runs(3000),
    );
    expect(found).toBeGreaterThan(0);
  });

  it.each([0, 40])(
    "finds each part at each place and in each grouping of digits, beside %d other secrets",
    (others) => {
      const secret = "Q7ZK2>?~>?~M?>~4>>?VB8NC1R";
      const { some } = search([secret, ...Array.from({ length: others }, (_, at) => `other-${at * 7919}-secret`)]);
      for (let from = 0; from + partLength <= secret.length; from += 1) {
        const part = secret.slice(from, from + partLength);
        for (let before = 0; before < 21; before += 1) {
          const blanks = " ".repeat(before);
          const bytes = Buffer.from(`${"\u007f".repeat(before)}${part}\u007f`);
          for (const text of [
            `${blanks}${part}`,
            `${blanks}<${part}> `,
            bytes.toString("base64").replaceAll("=", ""),
            `${blanks}${bytes.toString("base64url")}`,
            `${blanks}${inBothAlphabets(bytes.toString("base64"), 0)}`,
            `${blanks}${inBothAlphabets(bytes.toString("base64"), 1)}`,
            `${blanks}${Buffer.from(part).toString("hex")}`,
            `${blanks}${bytes.toString("hex")}`,
            `${blanks}0${bytes.toString("hex").toUpperCase()}`,
          ]) {
            expect(some.spans(text).length, text).toBe(1);
          }
        }
      }
    },
  );

  it("finds digits of both alphabets beside each other", () => {
    const secret = "ûÿ1ûÿ2ûÿ3ûÿ4";
    const { some } = search([secret]);
    for (const first of [0, 1]) {
      for (const from of [0, 1, 2]) {
        const bytes = Buffer.from(secret.slice(from, from + partLength), "latin1");
        const text = `<${inBothAlphabets(bytes.toString("base64"), first)}>`;
        expect(some.spans(text).length, text).toBe(1);
      }
    }
  });

  it("finds secrets that it is told of between two searches", () => {
    const some = new Redactor();
    some.add("Q7ZK2M9XT4VB8NC1");
    expect(some.redact("other-secret-7919, QX")).toBe("other-secret-7919, QX");
    some.add("other-secret-7919");
    expect(some.redact("other-secret-7919, QX")).toBe("(secret), QX");
    some.add("QX9ZK2M-".repeat(12));
    expect(some.redact("it is M-QX9ZK2M-QX")).toBe("it is (secret)");
  });

  it("finds all parts of many secrets, for which it has to make room", () => {
    let state = 1;
    const next = (): number => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) >>> 16;
    const secrets = Array.from({ length: 400 }, () =>
      Array.from({ length: 30 }, () => String.fromCharCode(48 + (next() % 75))).join(""),
    );
    const { some, index } = search(secrets);
    some.redact(secrets.join(" "));
    const isHidden = (part: string): boolean => !index.isOpen(plainView(part).units, part.length);
    for (const secret of secrets.filter((_, at) => at % 7 === 0)) {
      const text = `<${secret.slice(2, 25)}> ${Buffer.from(secret.slice(3)).toString("base64")} ${Buffer.from(secret.slice(1)).toString("hex")}`;
      expect(some.spans(text).map(({ start, end }) => [start, end])).toEqual(thorough(text, secrets, isHidden));
    }
  });

  it.each<[BufferEncoding]>([["base64url"], ["hex"]])(
    "finds parts of eight bytes in %s at each place, also at the end",
    (encoding) => {
      const { some } = search(["Q7zK2m9XT4vB8nC1rW6L"]);
      const parts = ["Q7zK2m9X", "vB8nC1rW"];
      for (const filler of ["", "?", "??"]) {
        const [first = "", second = ""] = parts.map((part) => Buffer.from(filler + part).toString(encoding));
        for (let at = 0; at < 7 * 11; at += 1) {
          const text = `${"·".repeat(at)}${first}·${second}`;
          expect(some.spans(text), text).toHaveLength(2);
        }
      }
    },
  );

  it("finds what a manifest keeps hidden, though it was open before", () => {
    const prose = "our cat was not at home";
    const code = "Q7zK2m9XT4vB8nC1rW6L";
    const { some } = search([prose, code]);
    some.reveal(code);
    expect(some.redact(`${prose.slice(2)} ${code.slice(2)}`)).toBe(`${prose.slice(2)} ${code.slice(2)}`);
    // Many more, so that only what is hidden is kept in mind.
    for (let at = 0; at < 200; at += 1) some.add(`${at}${Buffer.from(`${at * 7919}`.repeat(9)).toString("base64")}`);
    for (const secret of [prose, code]) some.add(secret, true);
    expect(some.redact(`<${prose.slice(2)}> <${code.slice(2)}>`)).toBe("<(secret)> <(secret)>");
  });

  it("keeps nothing in mind of a part that was forgotten", () => {
    const units = plainView("Q7zK2m9XT").units;
    const filter = new PartFilter(0x01000193, 4096);
    filter.add(units, 0);
    filter.clear(4096);
    filter.add(units, 1);
    const places: number[] = [];
    filter.eachPlace(plainView("7zK2m9XT").units, 8, (at) => places.push(at));
    expect(places).toContain(0);
    expect(filter.mayHoldBits(Buffer.from("7zK").readUIntBE(0, 3))).toBe(true);
  });

  it.each([
    ["ab", 1],
    ["abc🔑", 100],
  ])("finds the longest spelling at each index, of few and of many: %s", (alphabet, minLength) => {
    // Halves of a character are units, too.
    const unit = fc.constantFrom(...alphabet.split(""));
    const form = fc.string({ unit, minLength: 4, maxLength: 12 });
    const some = fc.array(form, { minLength, maxLength: 120 }).chain((forms) =>
      fc.record({
        forms: fc.constant(forms),
        pieces: fc.array(fc.oneof(fc.constantFrom(...forms), fc.string({ unit, maxLength: 2 }), fc.constant("-"))),
      }),
    );
    fc.assert(
      fc.property(some, ({ forms, pieces }) => {
        const text = pieces.join("");
        const spellings = new Spellings();
        for (const each of forms) spellings.add(each, { hidden: true });
        expect(spellings.spans(text).map(({ start, end }) => [start, end])).toEqual(longest(text, forms));
      }),
      runs(1000),
    );
  });

  it("opens what a public text shows in any spelling, as comparing every index would", () => {
    fc.assert(
      fc.property(cases, ({ secrets, pieces }) => {
        const { some, index } = search(secrets);
        some.reveal(pieces.join(""));
        some.redact(secrets.join(" "));
        const shown = views(pieces.join(""));
        for (const secret of secrets) {
          for (let at = 0; at + partLength <= secret.length; at += 1) {
            const part = secret.slice(at, at + partLength);
            if (shown.some(({ read }) => read.includes(part))) {
              expect(index.isOpen(plainView(part).units, part.length), part).toBe(true);
            }
          }
        }
      }),
      runs(1000),
    );
  });
});
