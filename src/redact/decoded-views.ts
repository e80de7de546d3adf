import { type PartFilter, gramBits } from "./part-filter.js";
import type { TextSpan } from "./part-index.js";

/** A text, or a part of it with an encoding undone. */
export interface View {
  readonly units: Uint16Array;
  readonly length: number;
  /** Where a span of the view is in the text. */
  readonly place: (start: number, end: number) => TextSpan;
}

/** From so many units on, Node copies a text faster than a loop does. */
const longText = 512;

/** Whether the machine has the bytes of a unit in the order of UTF-16LE. */
const isLittleEndian = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1;

/** The view that is the text itself. */
export function plainView(text: string): View {
  const units = new Uint16Array(text.length);
  if (isLittleEndian && text.length >= longText) Buffer.from(units.buffer).write(text, "utf16le");
  else for (let index = 0; index < text.length; index += 1) units[index] = text.charCodeAt(index);
  return { units, length: text.length, place: (start, end) => ({ start, end }) };
}

const backslash = 0x5c;
const percent = 0x25;
const ampersand = 0x26;

/** The zero-width space: our Markdown uses it to keep forges from making links. */
const invisible = 0x200b;

/** What a letter after a backslash means in JSON. */
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
 * and of HTML (`&amp;`, `&#65;`, `&#x41;`) undone once, and without zero-width spaces. Null when there are none.
 */
export function withoutEscapes(view: View): View | null {
  const { length, units } = view;
  let at = firstEscape(view);
  if (at === null) return null;
  const plain = new Uint16Array(length);
  plain.set(units.subarray(0, at));
  const places = new Places();
  let count = at;
  while (at < length) {
    const unit = units[at] ?? 0;
    const found = escapeAt(units, at, unit);
    if (found === null) {
      plain[count++] = unit;
      at += 1;
      continue;
    }
    // A code point of two units has an escape of more than two, so `plain` is long enough.
    for (const [index, each] of unitsOf(found.code).entries()) {
      if (index > 0) places.add(count, at);
      plain[count++] = each;
    }
    at += found.size;
    places.add(count, at);
  }
  const place = (start: number, end: number): TextSpan => view.place(places.of(start), places.of(end));
  return { units: plain, length: count, place };
}

/** Where the first escape begins; null = there is none. */
function firstEscape({ length, units }: View): number | null {
  if (!mayHoldEscapes(units)) return null;
  for (let at = 0; at < length; at += 1) if (escapeAt(units, at, units[at] ?? 0) !== null) return at;
  return null;
}

/**
 * Where the units of a view come from. Between two escapes they follow each other, so only the ends of escapes are kept: a
 * report of a large plan has tens of millions of units.
 */
class Places {
  /** Pairs: a unit of the view, and where it comes from. Both grow from pair to pair. */
  #pairs = new Int32Array(256);
  #count = 0;

  add(unit: number, from: number): void {
    if (this.#count === this.#pairs.length) {
      const pairs = new Int32Array(this.#pairs.length * 2);
      pairs.set(this.#pairs);
      this.#pairs = pairs;
    }
    this.#pairs[this.#count] = unit;
    this.#pairs[this.#count + 1] = from;
    this.#count += 2;
  }

  of(unit: number): number {
    // The last pair that is not behind the unit.
    let low = 0;
    let high = this.#count / 2;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#pairs[middle * 2] ?? 0) <= unit) low = middle + 1;
      else high = middle;
    }
    if (low === 0) return unit;
    const last = low * 2 - 2;
    return (this.#pairs[last + 1] ?? 0) + unit - (this.#pairs[last] ?? 0);
  }
}

function mayHoldEscapes(units: Uint16Array): boolean {
  return [backslash, percent, ampersand, invisible].some((first) => units.includes(first));
}

interface Escape {
  /** A code point; null = none at all. */
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
  if (first === percent) return digitsEscape(units, at, percentEscape);
  if (first === backslash) return backslashEscape(units, at);
  if (first !== ampersand) return null;
  if (units[at + 1] === 0x23) {
    const hex = units[at + 2] === 0x78 || units[at + 2] === 0x58;
    return digitsEscape(units, at, hex ? hexEntity : decimalEntity);
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
  if (next === 0x78) return digitsEscape(units, at, byteEscape);
  if (next !== 0x75) return null;
  return digitsEscape(units, at, units[at + 2] === 0x7b ? bracedEscape : unitEscape);
}

function isPunctuation(unit: number): boolean {
  return (
    (unit >= 0x21 && unit <= 0x2f) ||
    (unit >= 0x3a && unit <= 0x40) ||
    (unit >= 0x5b && unit <= 0x60) ||
    (unit >= 0x7b && unit <= 0x7e)
  );
}

/** How an escape writes a code point in digits. */
interface DigitsFormat {
  /** How many units come before the digits. */
  readonly skip: number;
  readonly base: 10 | 16;
  /** How many digits there are, or the unit that ends them. */
  readonly until: { readonly count: number } | { readonly end: number };
}

/** `%41` */
const percentEscape: DigitsFormat = { skip: 1, base: 16, until: { count: 2 } };
/** `\x41` */
const byteEscape: DigitsFormat = { skip: 2, base: 16, until: { count: 2 } };
/** `\u0041` */
const unitEscape: DigitsFormat = { skip: 2, base: 16, until: { count: 4 } };
/** `\u{41}` */
const bracedEscape: DigitsFormat = { skip: 3, base: 16, until: { end: 0x7d } };
/** `&#65;` */
const decimalEntity: DigitsFormat = { skip: 2, base: 10, until: { end: 0x3b } };
/** `&#x41;` */
const hexEntity: DigitsFormat = { skip: 3, base: 16, until: { end: 0x3b } };

/** With more digits, apart from leading zeros, it is not a code point. */
const mostDigits = 8;

function digitsEscape(units: Uint16Array, at: number, { base, skip, until }: DigitsFormat): Escape | null {
  const most = "count" in until ? until.count : mostDigits;
  let code = 0;
  let index = 0;
  for (; index < most; index += 1) {
    const digit = hexDigits[units[at + skip + index] ?? 0] ?? -1;
    if (digit < 0 || digit >= base) break;
    code = code * base + digit;
  }
  if (index === 0 || code > 0x10ffff) return null;
  if ("count" in until) return index === until.count ? { code, size: skip + index } : null;
  return units[at + skip + index] === until.end ? { code, size: skip + index + 1 } : null;
}

const hexDigits = digitsOf("0123456789abcdef", "0123456789ABCDEF");
const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const base64Digits = digitsOf(`${letters}+/`, `${letters}-_`);

/** The value of each digit by its code; -1 for everything else. */
function digitsOf(...alphabets: readonly string[]): Int8Array {
  const values = new Int8Array(65_536).fill(-1);
  for (const alphabet of alphabets) {
    for (let value = 0; value < alphabet.length; value += 1) values[alphabet.charCodeAt(value)] = value;
  }
  return values;
}

/** An encoding of bytes in digits. */
interface Alphabet {
  readonly digits: Int8Array;
  /** How many bits a digit holds. */
  readonly bits: number;
  /** How many digits it takes for a whole number of bytes: after so many, the bytes are the same again. */
  readonly period: number;
  /** The fewest digits that hold eight bytes. */
  readonly shortest: number;
  /** How far apart digits are looked at: eight bytes determine ten digits of Base64, or sixteen of hexadecimal. */
  readonly stride: number;
}

/** How many digits hold {@link gramBits} bits. */
const gramDigits = (bits: number): number => gramBits / bits;

const base64: Alphabet = { digits: base64Digits, bits: 6, period: 4, shortest: 11, stride: 10 - gramDigits(6) + 1 };
const hexadecimal: Alphabet = { digits: hexDigits, bits: 4, period: 2, shortest: 16, stride: 16 - gramDigits(4) + 1 };

/**
 * The bytes of each run of digits that may be Base64 or hexadecimal, from each digit where a byte may begin.
 * @param filter knows which eight bytes are searched for; runs that can't hold any of them are left out
 */
export function decodedRuns(view: View, filter: PartFilter, visit: (view: View) => void): void {
  runsOf(view, base64, filter, visit);
  runsOf(view, hexadecimal, filter, visit);
}

function runsOf(view: View, alphabet: Alphabet, filter: PartFilter, visit: (view: View) => void): void {
  const { length, units } = view;
  const { bits, digits, period, shortest, stride } = alphabet;
  const count = gramDigits(bits);
  const isDigit = (at: number): boolean => at >= 0 && at < length && (digits[units[at] ?? 0] ?? -1) >= 0;
  for (let looked = 0; looked + count <= length; looked += stride) {
    let gram = 0;
    for (let at = looked; at < looked + count && gram >= 0; at += 1) {
      const digit = digits[units[at] ?? 0] ?? -1;
      gram = digit < 0 ? -1 : (gram << bits) | digit;
    }
    if (gram < 0 || !filter.mayHoldBits(gram)) continue;
    let from = looked;
    while (isDigit(from - 1)) from -= 1;
    let to = looked + count;
    while (isDigit(to)) to += 1;
    if (to - from >= shortest) {
      for (let skipped = 0; skipped < period; skipped += 1) visit(bytesOf(view, alphabet, from + skipped, to));
    }
    // The run was decoded as a whole.
    while (looked + stride < to) looked += stride;
  }
}

function bytesOf(view: View, { bits, digits }: Alphabet, from: number, to: number): View {
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
