import type { Span } from "./part-index.js";

/** A text, or what a part of it says once an encoding is undone. */
export interface View {
  readonly units: Uint16Array;
  readonly length: number;
  /** Where a stretch of the view stands in the text. */
  readonly place: (start: number, end: number) => Span;
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

/** What a letter after a backslash stands for in JSON. */
const jsonEscapes: ReadonlyMap<number, number> = new Map(
  [...'"\\/bfnrt'].map((letter, index) => [letter.charCodeAt(0), '"\\/\b\f\n\r\t'.charCodeAt(index)]),
);

const entities: readonly (readonly [name: string, unit: number])[] = [
  ["amp;", 0x26],
  ["lt;", 0x3c],
  ["gt;", 0x3e],
  ["quot;", 0x22],
  ["apos;", 0x27],
  ["#39;", 0x27],
  ["#x27;", 0x27],
];

/**
 * The view with escapes of JSON (`\n`, `\u0041`), of URLs (`%41`) and of HTML (`&amp;`) undone, once.
 * Null when it has none.
 */
export function withoutEscapes(view: View): View | null {
  const { length, units } = view;
  if (!mayHoldEscapes(units)) return null;
  let escaped = false;
  const plain = new Uint16Array(length);
  const starts = new Int32Array(length + 1);
  let count = 0;
  for (let at = 0; at < length; count += 1) {
    const unit = units[at] ?? 0;
    const found = unit === backslash || unit === percent || unit === ampersand ? escapeAt(units, at, unit) : null;
    plain[count] = found === null ? unit : found.unit;
    starts[count] = at;
    at += found === null ? 1 : found.size;
    escaped ||= found !== null;
  }
  if (!escaped) return null;
  starts[count] = length;
  const place = (start: number, end: number): Span => view.place(starts[start] ?? 0, starts[end] ?? length);
  return { units: plain, length: count, place };
}

function mayHoldEscapes(units: Uint16Array): boolean {
  return units.includes(backslash) || units.includes(percent) || units.includes(ampersand);
}

interface Escape {
  readonly unit: number;
  readonly size: number;
}

function escapeAt(units: Uint16Array, at: number, first: number): Escape | null {
  if (first === percent) return hexEscape(units, at + 1, 2, 3);
  if (first === backslash) {
    const letter = units[at + 1] ?? 0;
    const unit = jsonEscapes.get(letter);
    if (unit !== undefined) return { unit, size: 2 };
    return letter === 0x75 ? hexEscape(units, at + 2, 4, 6) : null;
  }
  for (const [name, unit] of entities) {
    let index = 0;
    while (index < name.length && units[at + 1 + index] === name.charCodeAt(index)) index += 1;
    if (index === name.length) return { unit, size: name.length + 1 };
  }
  return null;
}

function hexEscape(units: Uint16Array, from: number, digits: number, size: number): Escape | null {
  let unit = 0;
  for (let index = from; index < from + digits; index += 1) {
    const digit = hexDigits[units[index] ?? 0] ?? -1;
    if (digit < 0) return null;
    unit = unit * 16 + digit;
  }
  return { unit, size };
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
  const place = (start: number, end: number): Span =>
    view.place(from + Math.floor((start * 8) / bits), from + Math.floor((end * 8 - 1) / bits) + 1);
  return { units: bytes, length: count, place };
}
