import type { Json } from "../json.js";

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
  // Escapes with the same meaning in YAML and JSON, so that JSON.parse can read them.
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

/** A plain scalar inside brackets: much less than YAML allows, but all that manifests need. */
const plainInFlow = /(?:[\w$/.]|-(?=\w))(?:[\w$/.+=@%~;()*-]|:(?=[\w/.])| (?=[\w/.$(]))*/y;

/** A key inside braces. */
const flowKey = /([A-Za-z_][\w./-]*): +/y;

/** Deeper nesting is left to the library's reader, which checks the limit. */
const deepest = 20;

/**
 * A list or map in brackets, on one line.
 * @param at the offset of the opening bracket
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

/** Whether a plain key is text, safe and new. The library reports the others. */
export function isTextKey(key: string, known: { readonly [member: string]: Json }): boolean {
  return typeof plainValue(key) === "string" && key !== "__proto__" && !Object.hasOwn(known, key);
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
