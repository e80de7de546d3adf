import { holdsSecretName } from "../secret-names.js";

/** A member that may be secret, as a line of text shows it. */
export interface SecretMember {
  /** How many characters of blanks and list dashes stand before the line's first word. */
  readonly indent: number;
  /** What follows the colon, or the name when somebody forgot the colon. */
  readonly rest: string;
}

/**
 * The first member of a line that may be secret: a name in block or flow style with its colon; else a line that begins
 * with such a name and forgets the colon. Regular expressions for this take quadratic time; these loops look at each
 * character a fixed number of times.
 */
export function secretMember(line: string): SecretMember | null {
  const indent = indentOf(line);
  return withColon(line, indent) ?? withoutColon(line, indent);
}

function withColon(line: string, indent: number): SecretMember | null {
  for (let at = indent; at < line.length; at++) {
    const end = wordEnd(line, at);
    if (end === at || !holdsSecretName(line.slice(at, end))) {
      at = Math.max(at, end - 1);
      continue;
    }
    const after = afterBlanks(line, afterQuote(line, end));
    if (line.charAt(after) === ":") return { indent, rest: line.slice(after + 1) };
    at = Math.max(end, after) - 1;
  }
  return null;
}

function withoutColon(line: string, indent: number): SecretMember | null {
  const start = afterQuote(line, indent);
  const end = wordEnd(line, start);
  if (!holdsSecretName(line.slice(start, end))) return null;
  const quoted = afterQuote(line, end);
  const after = afterBlanks(line, quoted);
  const value = line.charAt(after);
  return after === quoted || value === "" || value === ":" || value === "#"
    ? null
    : { indent, rest: line.slice(quoted) };
}

/** Blanks, and dashes of lists with their spaces. */
function indentOf(line: string): number {
  let at = afterBlanks(line, 0);
  while (line.charAt(at) === "-" && line.charAt(at + 1) === " ") {
    at += 1;
    while (line.charAt(at) === " ") at += 1;
  }
  return at;
}

function afterBlanks(line: string, from: number): number {
  let at = from;
  while (at < line.length && line.charAt(at).trim() === "") at += 1;
  return at;
}

function afterQuote(line: string, at: number): number {
  const character = line.charAt(at);
  return character === '"' || character === "'" ? at + 1 : at;
}

/** The end of the letters, digits, underscores and dashes that begin here. */
function wordEnd(line: string, from: number): number {
  let at = from;
  while (isWord(line.charCodeAt(at))) at += 1;
  return at;
}

/** The two letters beyond ASCII are other cases of `s` and `k`. */
function isWord(code: number): boolean {
  return (
    (code >= 97 && code <= 122) ||
    (code >= 65 && code <= 90) ||
    (code >= 48 && code <= 57) ||
    code === 95 ||
    code === 45 ||
    code === 0x17f ||
    code === 0x212a
  );
}
