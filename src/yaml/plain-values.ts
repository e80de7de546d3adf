import type { Json } from "../json.js";

/** Words that YAML 1.2 core reads as something else than text. */
const wordValues: ReadonlyMap<string, Json> = new Map<string, Json>([
  ...["null", "Null", "NULL", "~"].map((word) => [word, null] as const),
  ...["true", "True", "TRUE"].map((word) => [word, true] as const),
  ...["false", "False", "FALSE"].map((word) => [word, false] as const),
]);

/** Integers that are written as JSON writes them and lose no digits. */
const integer = /^(?:0|-?[1-9]\d{0,14})$/;

/** What may be a number in another notation. */
const numberLike = /^[-+]?\.?\d[\d.eE+-]*$|^0[box]|^[-+]?\.(?:inf|nan)/i;

/** The value of a plain scalar, by YAML 1.2 core. Numbers in other notations than JSON's integers are declined. */
export function plainValue(text: string): Json {
  const first = text.charCodeAt(0);
  // "+", "-", "." and digits begin what may be a number; "N", "T", "F", "n", "t", "f" and "~" what may be a word.
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

/** A value on one line, and where what follows it begins. */
export interface PlainRead<T = Json> {
  readonly value: T;
  readonly after: number;
}

/**
 * A quoted scalar on one line.
 * @param at where its opening quote stands
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
  // Escapes that mean the same in YAML and JSON; a quote behind an odd number of backslashes is one of them.
  const found = /"(?:[^"\\\n]|\\["\\/nrt])*"/y;
  found.lastIndex = at;
  const [quoted] = found.exec(text) ?? [];
  return quoted === undefined ? decline() : { value: String(JSON.parse(quoted)), after: at + quoted.length };
}

function singleQuoted(text: string, at: number, stop: number): PlainRead<string> {
  const found = /'((?:[^'\n]|'')*)'/y;
  found.lastIndex = at;
  const inner = found.exec(text)?.[1];
  if (inner === undefined || at + inner.length + 2 > stop) return decline();
  return { value: inner.includes("''") ? inner.replaceAll("''", "'") : inner, after: at + inner.length + 2 };
}

/** A plain scalar inside brackets: far less than YAML allows, and all that manifests need. */
const plainInFlow = /(?:[\w$/.]|-(?=\w))(?:[\w$/.+=@%~;()*-]|:(?=[\w/.])| (?=[\w/.$(]))*/y;

/** A key inside braces. */
const flowKey = /([A-Za-z_][\w./-]*): +/y;

/** Brackets inside one another; more is declined, as the depth of a document has its own limit. */
const deepest = 20;

/**
 * A list or map in brackets, on one line.
 * @param at where the bracket opens
 * @param stop the end of the line
 */
export function flowCollection(text: string, at: number, stop: number, depth = 0): PlainRead {
  if (depth > deepest) return decline();
  return text[at] === "[" ? flowList(text, at, stop, depth) : flowMap(text, at, stop, depth);
}

function flowList(text: string, open: number, stop: number, depth: number): PlainRead {
  const value: Json[] = [];
  let at = skipSpaces(text, open + 1);
  if (text[at] === "]") return { value, after: at + 1 };
  for (;;) {
    const item = flowValue(text, at, stop, depth);
    value.push(item.value);
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
    flowKey.lastIndex = at;
    const [found, key] = flowKey.exec(text) ?? [];
    if (found === undefined || key === undefined || !isTextKey(key, value)) return decline();
    const member = flowValue(text, at + found.length, stop, depth);
    value[key] = member.value;
    at = skipSpaces(text, member.after);
    if (text[at] === "}" && at < stop) return { value, after: at + 1 };
    if (text[at] !== ",") return decline();
    at = skipSpaces(text, at + 1);
  }
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

/** Whether a plain key is text, safe and new; the library has words for the other ones. */
export function isTextKey(key: string, known: { readonly [member: string]: Json }): boolean {
  return typeof plainValue(key) === "string" && key !== "__proto__" && !Object.hasOwn(known, key);
}

/** Thrown by the reader of plain documents at whatever it does not know; never leaves {@link readPlain}. */
export class Declined extends Error {
  override readonly name = "Declined";
}

/** One for all: it says nothing, and a stack trace for each would cost more than it tells. */
const declined = new Declined("not a plain document");

/** Leaves a document to the YAML library. */
export function decline(): never {
  throw declined;
}
