import type { Json } from "../../json.js";
import { decline } from "./decline.js";

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
