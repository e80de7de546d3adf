import { MASK } from "../secret.js";
import type { TextSpan } from "./part-index.js";

/** Where the secrets in a text are, in order and without overlaps. */
export type SpansOf = (text: string) => readonly TextSpan[];

/** Numbers with fewer digits are edgewise's own: lines, statuses, counts. */
const fewestDigits = 8;

/** A text with every secret in it replaced by `(secret)`. A JSON document stays one. */
export function maskText(text: string, spansOf: SpansOf): string {
  return isJson(text) ? maskJson(text, spansOf) : withMask(text, spansOf(text));
}

/** The text with each span replaced by `(secret)`. */
export function withMask(text: string, spans: readonly TextSpan[]): string {
  let result = "";
  let kept = 0;
  for (const { start, end } of spans) {
    result += text.slice(kept, start) + MASK;
    kept = end;
  }
  return kept === 0 ? text : result + text.slice(kept);
}

function isJson(text: string): boolean {
  if (!/^\s*[[{"]/.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Masks only strings and long numbers, so that every quote, comma and escape stays. */
function maskJson(json: string, spansOf: SpansOf): string {
  // Most documents contain no secret, and neither do most strings of the others.
  const hits = spansOf(json);
  if (hits.length === 0) return json;
  let next = 0;
  const isHit = (start: number, end: number): boolean => {
    while ((hits[next]?.end ?? Infinity) <= start) next += 1;
    return (hits[next]?.start ?? Infinity) < end;
  };
  let result = "";
  let kept = 0;
  const token = /"|-?\d[\d.eE+-]*/g;
  for (let found = token.exec(json); found !== null; found = token.exec(json)) {
    const start = found.index;
    if (found[0] !== '"') {
      const end = start + found[0].length;
      if (found[0].length < fewestDigits || !isHit(start, end) || spansOf(found[0]).length === 0) continue;
      result += `${json.slice(kept, start)}"${MASK}"`;
      kept = end;
      continue;
    }
    const end = endOfString(json, start + 1);
    token.lastIndex = end + 1;
    if (!isHit(start, end + 1)) continue;
    const written = json.slice(start + 1, end);
    const masked = maskWritten(written, spansOf);
    if (masked === written) continue;
    result += json.slice(kept, start + 1) + masked;
    kept = end;
  }
  return kept === 0 ? json : result + json.slice(kept);
}

/** The index of the quote that ends a string. */
function endOfString(json: string, from: number): number {
  for (let at = from; ; at += 1) {
    const character = json.charAt(at);
    if (character === '"') return at;
    if (character === "\\") at += 1;
  }
}

/** Masks a string as it is written in JSON, without cutting escapes apart. */
function maskWritten(written: string, spansOf: SpansOf): string {
  if (!written.includes("\\")) return withMask(written, spansOf(written));
  const starts: number[] = [];
  for (let at = 0; at < written.length;) {
    starts.push(at);
    at += written.charAt(at) !== "\\" ? 1 : written.charAt(at + 1) === "u" ? 6 : 2;
  }
  const place = (unit: number): number => starts[unit] ?? written.length;
  const meant: unknown = JSON.parse(`"${written}"`);
  const spans = spansOf(String(meant)).map(({ start, end }) => ({ start: place(start), end: place(end) }));
  return withMask(written, spans);
}
