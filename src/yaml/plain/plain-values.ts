import type { Json } from "../../core/json.js";

/** Words that are not text in the core schema of YAML 1.2. */
const wordValues: ReadonlyMap<string, Json> = new Map<string, Json>([
  ...["null", "Null", "NULL", "~"].map((word) => [word, null] as const),
  ...["true", "True", "TRUE"].map((word) => [word, true] as const),
  ...["false", "False", "FALSE"].map((word) => [word, false] as const),
]);

/** Integers as JSON writes them, small enough to lose no digits. */
const integer = /^(?:0|-?[1-9]\d{0,14})$/;

/** Texts that may be a number in another notation. */
const numberLike = /^[-+]?\.?\d[\d.eE+-]*$|^0[box]|^[-+]?\.(?:inf|nan)/i;

/** The value of a plain scalar by the core schema of YAML 1.2. Numbers other than JSON integers are declined. */
export function plainValue(text: string): Json {
  const first = text.charCodeAt(0);
  // Only texts that begin with "+", "-", "." or a digit may be numbers.
  if (first === 43 || first === 45 || first === 46 || (first >= 48 && first <= 57)) {
    if (integer.test(text)) return Number(text);
    return numberLike.test(text) ? decline() : text;
  }
  if (text.length <= 5) {
    const word = wordValues.get(text);
    if (word !== undefined) return word;
  }
  return text;
}

/** A value on one line, and the offset after it. */
export interface PlainRead<T = Json> {
  readonly value: T;
  readonly after: number;
}

/**
 * A quoted scalar on one line.
 * @param at the offset of its opening quote
 * @param stop the end of the line
 */
export function quotedScalar(text: string, at: number, stop: number): PlainRead<string> {
  return text[at] === '"' ? doubleQuoted(text, at, stop) : singleQuoted(text, at, stop);
}

function doubleQuoted(text: string, at: number, stop: number): PlainRead<string> {
  const close = text.indexOf('"', at + 1);
  if (close === -1 || close >= stop) return decline();
  const simple = text.slice(at + 1, close);
  if (!simple.includes("\\")) return { value: simple, after: close + 1 };
  for (let here = at + 1; here < stop; here++) {
    const code = text.charCodeAt(here);
    if (code === 34) {
      const value = String(JSON.parse(text.slice(at, here + 1)));
      return loneSurrogate.test(value) ? decline() : { value, after: here + 1 };
    }
    if (code === 92 && !isJsonEscape(text, ++here)) return decline();
  }
  return decline();
}

/** Half of a pair of UTF-16: no service could return such a text. Only an escape can write one. */
export const loneSurrogate = /\p{Surrogate}/u;

/** Whether an escape has the same meaning in YAML and JSON, so that JSON.parse can read it. @param at after the backslash */
function isJsonEscape(text: string, at: number): boolean {
  const letter = text.charAt(at);
  return letter === "u" ? fourDigits.test(text.slice(at + 1, at + 5)) : '"\\/bfnrt'.includes(letter);
}

const fourDigits = /^[\da-f]{4}$/i;

function singleQuoted(text: string, at: number, stop: number): PlainRead<string> {
  let close = text.indexOf("'", at + 1);
  while (close !== -1 && close < stop && text.charCodeAt(close + 1) === 39) close = text.indexOf("'", close + 2);
  if (close === -1 || close >= stop) return decline();
  const inner = text.slice(at + 1, close);
  return { value: inner.includes("''") ? inner.replaceAll("''", "'") : inner, after: close + 1 };
}

/** Whether a character is a quote. */
export function isQuote(code: number): boolean {
  return code === 34 || code === 39;
}

/** A plain scalar inside brackets: much less than YAML allows, but all that manifests need. */
const plainInFlow =
  /(?:[\w$/.\u00a1-\uffff]|-(?=[\w\u00a1-\uffff]))(?:[\w$/.+=@%~;()*\u00a1-\uffff-]|:(?=[\w/.\u00a1-\uffff])| (?=[\w/.$(\u00a1-\uffff]))*/y;

/** A plain key inside braces. */
const flowKey = /([A-Za-z_\u00a1-\uffff][\w./\u00a1-\uffff-]*): +/y;

/** The library reports keys of more than 1024 characters. */
export const longestKey = 1000;

/** Expressions with groups keep a state for each character: a longer line in brackets is left to the library. */
const longestFlow = 100_000;

/** Deeper nesting is left to the library's reader, which checks the limit. */
const deepest = 20;

/**
 * A list or map in brackets, on one line.
 * @param at the offset of the opening bracket
 * @param stop the end of the line
 */
export function flowCollection(text: string, at: number, stop: number, depth = 0): PlainRead {
  if (depth > deepest || stop - at > longestFlow) return decline();
  return text[at] === "[" ? flowList(text, at, stop, depth) : flowMap(text, at, stop, depth);
}

function flowList(text: string, open: number, stop: number, depth: number): PlainRead {
  let at = skipSpaces(text, open + 1);
  if (text[at] === "]") return { value: [], after: at + 1 };
  // Most lists have one item; one that begins empty takes room for 17.
  let value: Json[] | null = null;
  for (;;) {
    const item = flowValue(text, at, stop, depth);
    if (value === null) value = [item.value];
    else value.push(item.value);
    at = skipSpaces(text, item.after);
    if (text[at] === "]" && at < stop) return { value, after: at + 1 };
    if (text[at] !== ",") return decline();
    at = skipSpaces(text, at + 1);
  }
}

function flowMap(text: string, open: number, stop: number, depth: number): PlainRead {
  const value: { [member: string]: Json } = {};
  let at = skipSpaces(text, open + 1);
  if (text[at] === "}") return { value, after: at + 1 };
  for (;;) {
    const key = keyInFlow(text, at, stop);
    if (!isNewKey(key.value, value)) return decline();
    const member = flowValue(text, key.after, stop, depth);
    value[key.value] = member.value;
    at = skipSpaces(text, member.after);
    if (text[at] === "}" && at < stop) return { value, after: at + 1 };
    if (text[at] !== ",") return decline();
    at = skipSpaces(text, at + 1);
  }
}

/** A key inside braces, and the offset of its value. */
function keyInFlow(text: string, at: number, stop: number): PlainRead<string> {
  if (at < stop && isQuote(text.charCodeAt(at))) {
    const { after, value } = quotedScalar(text, at, stop);
    // After a quoted key the colon needs no space, like in JSON.
    return text.charCodeAt(after) === 58 ? { value, after: skipSpaces(text, after + 1) } : decline();
  }
  flowKey.lastIndex = at;
  const [found, key] = flowKey.exec(text) ?? [];
  return found === undefined || key === undefined || !isText(key)
    ? decline()
    : { value: key, after: at + found.length };
}

function flowValue(text: string, at: number, stop: number, depth: number): PlainRead {
  const first = text[at];
  if (at >= stop) return decline();
  if (first === "[" || first === "{") return flowCollection(text, at, stop, depth + 1);
  if (first === '"' || first === "'") return quotedScalar(text, at, stop);
  plainInFlow.lastIndex = at;
  const [found] = plainInFlow.exec(text) ?? [];
  if (found === undefined) return decline();
  return { value: plainValue(found), after: at + found.length };
}

function skipSpaces(text: string, at: number): number {
  let next = at;
  while (text.charCodeAt(next) === 32) next++;
  return next;
}

/** Whether a plain scalar is a text, not a number or another value. */
export function isText(scalar: string): boolean {
  return typeof plainValue(scalar) === "string";
}

/** Whether a key is safe and new. The library reports the others. */
export function isNewKey(key: string, known: { readonly [member: string]: Json }): boolean {
  return key !== "__proto__" && !Object.hasOwn(known, key);
}

/** Thrown for everything outside the plain subset, and caught by {@link readPlain}. */
export class Declined extends Error {
  override readonly name = "Declined";
}

/** A shared instance: creating a stack trace for each would be slow. */
const declined = new Declined("not a plain document");

/** Leaves a document to the YAML library. */
export function decline(): never {
  throw declined;
}
