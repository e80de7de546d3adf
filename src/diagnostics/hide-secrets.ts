import { isObject } from "../json.js";
import { holdsSecretName, isSecretName } from "../secret-names.js";
import { MASK } from "../secret.js";
import type { LineIndex } from "./line-index.js";

/** The module that takes a secret: what stands in it under another name may be just that. */
const webhookModule = /^(\s*)["']?webhook_verification["']?\s*:\s*(?:#.*)?$/iu;

/** Credentials as an `Authorization` header has them, under whatever name. */
const credentials = /\b(?:bearer|basic)\s+\S*[\d+/=._~-]/iu;

/** What is known to be harmless in there. */
const harmless = /^\s*["']?(?:env|file|provider|enabled)["']?\s*:[^,{}]*$/u;

/** What may follow: the start of a reference, or nothing. */
const reference = /^\s*(?:\{\s*(?:env|file)\s*:[^,{}]*\}[\s,}\]]*)?(?:#.*)?$/u;

/**
 * The lines of a file that may show a secret, found from the text alone: it must work for files that can't be parsed.
 * Prefers hiding a harmless line to showing a secret. Takes time in proportion to the length of the file.
 */
export function* secretLines(lines: LineIndex): Generator<number> {
  let key = false;
  let inside = -1;
  // The value of a member that ends its line stands on the next one, wherever that begins.
  let next = false;
  for (let number = 1; number <= lines.count; number++) {
    const line = lines.line(number);
    const indent = line.search(/\S/u);
    if (/-----BEGIN [A-Z ]*PRIVATE KEY/u.test(line)) key = true;
    if (inside >= 0 && indent >= 0 && indent <= inside) inside = -1;
    const held = (next || (inside >= 0 && indent > inside)) && !harmless.test(line);
    const found = secretMember(line);
    const named = found !== null && reference.test(found.rest);
    const opened = found?.indent ?? webhookModule.exec(line)?.[1]?.length;
    if (indent >= 0) next = found !== null && /^\s*(?:#.*)?$/u.test(found.rest);
    if (opened !== undefined && inside < 0) inside = opened;
    if (key || (held && !named) || (found !== null && !named) || credentials.test(line)) yield number;
    if (/-----END [A-Z ]*PRIVATE KEY/u.test(line)) key = false;
  }
}

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

/** Shorter texts are part of too many words. */
const shortest = 4;

const cache = new WeakMap<object, readonly string[]>();

/**
 * The texts in a document that may be secrets, judged by the names of their members; the longest first.
 * A document with a hundred thousand mistakes asks for them a hundred thousand times: they are found once.
 */
export function hiddenTexts(value: unknown): readonly string[] {
  if (typeof value !== "object" || value === null) return [];
  let found = cache.get(value);
  if (found === undefined) {
    found = findHidden(value);
    cache.set(value, found);
  }
  return found;
}

function findHidden(value: object): readonly string[] {
  const found = new Set<string>();
  const visit = (inner: unknown, sensitive: boolean): void => {
    if (typeof inner === "string") {
      if (sensitive && inner.length >= shortest) found.add(inner);
    } else if (Array.isArray(inner)) for (const item of inner) visit(item, sensitive);
    else if (isObject(inner)) {
      for (const [name, item] of Object.entries(inner)) {
        // The names of variables and files tell nothing.
        const source = sensitive && (name === "env" || name === "file");
        visit(item, !source && (sensitive || isSecretName(name)));
      }
    }
  };
  visit(value, false);
  return [...found].toSorted((a, b) => b.length - a.length);
}

/** More hidden texts than this in one document, or a longer message, are not worth the search. */
const mostHidden = 100;
const longestMessage = 2000;

/**
 * A message without the texts that must not be shown, in whichever case they are written.
 * @param instead what to say when looking for them all would take too long
 */
export function withoutHidden(message: string, hidden: readonly string[], instead: string): string {
  if (hidden.length === 0) return message;
  if (hidden.length > mostHidden || message.length > longestMessage) return instead;
  return hidden.reduce((text, secret) => {
    const lower = text.toLowerCase();
    const wanted = secret.toLowerCase();
    // Some letters change their length with their case: then only the exact text is looked for.
    const sameLength = lower.length === text.length && wanted.length === secret.length;
    return sameLength ? maskWholeWords(text, lower, wanted) : maskWholeWords(text, text, secret);
  }, message);
}

/** The text with the mask wherever a secret stands as a whole: a word is none because a secret begins like it. */
function maskWholeWords(text: string, searched: string, wanted: string): string {
  let result = "";
  let from = 0;
  for (let at = searched.indexOf(wanted); at !== -1; at = searched.indexOf(wanted, at + wanted.length)) {
    const end = at + wanted.length;
    if (isInsideWord(text, at) || isInsideWord(text, end)) continue;
    result += text.slice(from, at) + MASK;
    from = end;
  }
  return result + text.slice(from);
}

/** Whether letters or digits stand on both sides of a place. */
function isInsideWord(text: string, at: number): boolean {
  return letterOrDigit.test(text.slice(Math.max(0, at - 1), at)) && letterOrDigit.test(text.slice(at, at + 1));
}

const letterOrDigit = /[\p{L}\p{N}]/u;
