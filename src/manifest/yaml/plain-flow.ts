import type { Json } from "../../json.js";
import { decline } from "./decline.js";
import { plainValue, quotedScalar } from "./plain-scalar.js";
import type { PlainRead } from "./plain-scalar.js";

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
