import type { TextSpan } from "./part-index.js";

/** A text, or what a part of it says once an encoding is undone. */
export interface View {
  readonly units: Uint16Array;
  readonly length: number;
  /** Where a stretch of the view stands in the text. */
  readonly place: (start: number, end: number) => TextSpan;
}

/** The view that is the text itself. */
export function plainView(text: string): View {
  const units = new Uint16Array(text.length);
  for (let index = 0; index < text.length; index += 1) units[index] = text.charCodeAt(index);
  return { units, length: text.length, place: (start, end) => ({ start, end }) };
}

const backslash = 0x5c;
const percent = 0x25;
const ampersand = 0x26;

/** Keeps apart what a forge would join into a link: Markdown is full of it, and nobody sees it. */
const invisible = 0x200b;

/** What a letter after a backslash stands for in JSON. */
const letterEscapes: ReadonlyMap<number, number> = new Map(
  [..."bfnrt"].map((letter, index) => [letter.charCodeAt(0), "\b\f\n\r\t".charCodeAt(index)]),
);

const entities: readonly (readonly [name: string, unit: number])[] = [
  ["amp;", 0x26],
  ["lt;", 0x3c],
  ["gt;", 0x3e],
  ["quot;", 0x22],
  ["apos;", 0x27],
];

/**
 * The view with escapes of JSON and JavaScript (`\n`, `\u0041`, `\x41`, `\u{41}`), of Markdown (`\_`), of URLs (`%41`)
 * and of HTML (`&amp;`, `&#65;`, `&#x41;`) undone, once, and without what is invisible. Null when it has none.
 */
export function withoutEscapes(view: View): View | null {
  const { length, units } = view;
  if (!mayHoldEscapes(units)) return null;
  let escaped = false;
  const plain = new Uint16Array(length);
  const starts = new Int32Array(length + 1);
  let count = 0;
  const put = (unit: number, at: number): void => {
    plain[count] = unit;
    starts[count] = at;
    count += 1;
  };
  for (let at = 0; at < length;) {
    const unit = units[at] ?? 0;
    const found = escapeAt(units, at, unit);
    escaped ||= found !== null;
    if (found === null) put(unit, at);
    // An escape that stands for two units is longer than two.
    else for (const each of unitsOf(found.code)) put(each, at);
    at += found === null ? 1 : found.size;
  }
  if (!escaped) return null;
  starts[count] = length;
  const place = (start: number, end: number): TextSpan => view.place(starts[start] ?? 0, starts[end] ?? length);
  return { units: plain, length: count, place };
}

function mayHoldEscapes(units: Uint16Array): boolean {
  return [backslash, percent, ampersand, invisible].some((first) => units.includes(first));
}

interface Escape {
  /** A code point; null = nothing at all. */
  readonly code: number | null;
  readonly size: number;
}

function unitsOf(code: number | null): readonly number[] {
  if (code === null) return [];
  if (code <= 0xffff) return [code];
  return [0xd800 + ((code - 0x10000) >> 10), 0xdc00 + ((code - 0x10000) & 0x3ff)];
}

function escapeAt(units: Uint16Array, at: number, first: number): Escape | null {
  if (first === invisible) return { code: null, size: 1 };
  if (first === percent) return digitsEscape(units, at, 1, 16, 2);
  if (first === backslash) return backslashEscape(units, at);
  if (first !== ampersand) return null;
  if (units[at + 1] === 0x23) {
    const hex = units[at + 2] === 0x78 || units[at + 2] === 0x58;
    return digitsEscape(units, at, hex ? 3 : 2, hex ? 16 : 10, null, 0x3b);
  }
  for (const [name, code] of entities) {
    let index = 0;
    while (index < name.length && units[at + 1 + index] === name.charCodeAt(index)) index += 1;
    if (index === name.length) return { code, size: name.length + 1 };
  }
  return null;
}

function backslashEscape(units: Uint16Array, at: number): Escape | null {
  const next = units[at + 1] ?? 0;
  if (isPunctuation(next)) return { code: next, size: 2 };
  const code = letterEscapes.get(next);
  if (code !== undefined) return { code, size: 2 };
  if (next === 0x78) return digitsEscape(units, at, 2, 16, 2);
  if (next !== 0x75) return null;
  return units[at + 2] === 0x7b ? digitsEscape(units, at, 3, 16, null, 0x7d) : digitsEscape(units, at, 2, 16, 4);
}

function isPunctuation(unit: number): boolean {
  return (
    (unit >= 0x21 && unit <= 0x2f) ||
    (unit >= 0x3a && unit <= 0x40) ||
    (unit >= 0x5b && unit <= 0x60) ||
    (unit >= 0x7b && unit <= 0x7e)
  );
}

/** More digits than this are no code point, but for leading zeros. */
const mostDigits = 8;

/**
 * An escape made of digits.
 * @param skip how many units stand before them
 * @param count how many they are; null = up to `end`
 */
function digitsEscape(
  units: Uint16Array,
  at: number,
  skip: number,
  base: 10 | 16,
  count: number | null,
  end?: number,
): Escape | null {
  let code = 0;
  let index = 0;
  for (; index < (count ?? mostDigits); index += 1) {
    const digit = hexDigits[units[at + skip + index] ?? 0] ?? -1;
    if (digit < 0 || digit >= base) break;
    code = code * base + digit;
  }
  if (index === 0 || code > 0x10ffff) return null;
  if (count !== null) return index === count ? { code, size: skip + count } : null;
  return units[at + skip + index] === end ? { code, size: skip + index + 1 } : null;
}

const hexDigits = digitsOf("0123456789abcdef", "0123456789ABCDEF");
const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const base64Digits = digitsOf(`${letters}+/`, `${letters}-_`);

/** The value of each digit by its code; -1 for all that is none. */
function digitsOf(...alphabets: readonly string[]): Int8Array {
  const values = new Int8Array(65_536).fill(-1);
  for (const alphabet of alphabets) {
    for (let value = 0; value < alphabet.length; value += 1) values[alphabet.charCodeAt(value)] = value;
  }
  return values;
}

/** The bytes of each stretch of the view that may be Base64 or hexadecimal, from each place where a byte may begin. */
export function* decodedRuns(view: View): Generator<View> {
  // The fewest digits that hold eight bytes.
  yield* runsOf(view, base64Digits, 6, 11);
  yield* runsOf(view, hexDigits, 4, 16);
}

/** @param bits how many of them a digit holds */
function* runsOf(view: View, digits: Int8Array, bits: number, shortest: number): Generator<View> {
  const { length, units } = view;
  // Four digits of Base64 are three bytes, two of hexadecimal are one: more beginnings there are not.
  const beginnings = bits === 6 ? 4 : 2;
  let from = 0;
  for (let at = 0; at <= length; at += 1) {
    if (at < length && (digits[units[at] ?? 0] ?? -1) >= 0) continue;
    if (at - from >= shortest) {
      for (let skipped = 0; skipped < beginnings; skipped += 1) yield bytesOf(view, digits, bits, from + skipped, at);
    }
    from = at + 1;
  }
}

function bytesOf(view: View, digits: Int8Array, bits: number, from: number, to: number): View {
  const bytes = new Uint16Array(Math.floor(((to - from) * bits) / 8));
  let held = 0;
  let value = 0;
  let count = 0;
  for (let at = from; at < to; at += 1) {
    value = ((value << bits) | (digits[view.units[at] ?? 0] ?? 0)) & 0xffff;
    held += bits;
    if (held < 8) continue;
    held -= 8;
    bytes[count] = (value >> held) & 0xff;
    count += 1;
  }
  const place = (start: number, end: number): TextSpan =>
    view.place(from + Math.floor((start * 8) / bits), from + Math.floor((end * 8 - 1) / bits) + 1);
  return { units: bytes, length: count, place };
}
