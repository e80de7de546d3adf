import { isObject } from "../json.js";
import { holdsSecretName, isSecretName } from "../secret-names.js";
import { MASK } from "../secret.js";
import { codes } from "./codes.js";
import type { BetterWords, Problem } from "./diagnostic.js";
import type { LineIndex } from "./line-index.js";

/** The module that takes a secret: an unknown member of it may be a misspelt `secret`. */
const webhookModule = /^(\s*)["']?webhook_verification["']?\s*:\s*(?:#.*)?$/iu;

/** Credentials in the form of an `Authorization` header, under any name. */
const credentials = /\b(?:bearer|basic)\s+\S*[\d+/=._~-]/iu;

/** The members of that module that are not secret. */
const harmless = /^\s*["']?(?:env|file|provider|enabled)["']?\s*:[^,{}]*$/u;

/** What may follow the name of a secret in clear: a reference to its source, or nothing. */
const reference = /^\s*(?:\{\s*(?:env|file)\s*:[^,{}]*\}[\s,}\]]*)?(?:#.*)?$/u;

/**
 * The lines of a file that may show a secret. Looks at the text alone, so that it works for files that can't be
 * parsed. When in doubt, a line counts as secret. The time is proportional to the length of the file.
 */
export function* secretLines(lines: LineIndex): Generator<number> {
  let key = false;
  let inside = -1;
  // When nothing follows the colon, the value is on the next line, at any indentation.
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

/** A member that may be secret, found in one line of text. */
export interface SecretMember {
  /** The number of blanks and list dashes before the line's first word. */
  readonly indent: number;
  /** What follows the colon, or follows the name when the colon is missing. */
  readonly rest: string;
}

/**
 * The first member of a line that may be secret: a name in block or flow style with its colon; otherwise a line that
 * begins with such a name but lacks the colon. Regular expressions for this take quadratic time; these loops look at
 * each character a fixed number of times.
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

/** The end of the run of letters, digits, underscores and dashes that begins at `from`. */
function wordEnd(line: string, from: number): number {
  let at = from;
  while (isWord(line.charCodeAt(at))) at += 1;
  return at;
}

/** The two letters outside ASCII are variants of `s` and `k` that compare equal when case is ignored. */
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

/** The part of a problem that people read. */
type ProblemText = Pick<Problem, "code" | "message" | "remedy" | "improve">;

/** Hides the secrets of one document in what is reported about it. */
export class SecretMask {
  #hidden: readonly string[] | undefined;

  constructor(private readonly document: unknown) {}

  /** The problem without the document's secrets in its message and remedy. */
  hideIn<P extends ProblemText>(problem: P): P {
    // A document with a hundred thousand mistakes has one mask, and its secrets are collected once.
    const hidden = (this.#hidden ??= hiddenTexts(this.document));
    if (hidden.length === 0) return problem;
    const { code, improve } = problem;
    const hide = <W extends BetterWords>(words: W): W => {
      const { message, remedy } = words;
      return {
        ...words,
        ...(message === undefined ? {} : { message: withoutHidden(message, hidden, codes[code].description) }),
        ...(remedy == null ? {} : { remedy: withoutHidden(remedy, hidden, codes[code].remedy) }),
      };
    };
    if (improve === undefined) return hide(problem);
    const improveHidden = (written: Parameters<typeof improve>[0]): BetterWords | null => {
      const better = improve(written);
      return better === null ? null : hide(better);
    };
    return { ...hide(problem), improve: improveHidden };
  }
}

const masks = new WeakMap<object, SecretMask>();

/** The mask of a document: one for all of its problems. Most documents need none. */
export function maskOf(document: unknown): SecretMask {
  if (!isObject(document)) return new SecretMask(document);
  let mask = masks.get(document);
  if (mask === undefined) masks.set(document, (mask = new SecretMask(document)));
  return mask;
}

/** Shorter texts occur in too many words. */
const shortest = 4;

/** The texts in a document that may be secrets, judged by the names of their members; the longest first. */
export function hiddenTexts(document: unknown): readonly string[] {
  const found = new Set<string>();
  const visit = (value: unknown, sensitive: boolean): void => {
    if (typeof value === "string") {
      if (sensitive && value.length >= shortest) found.add(value);
    } else if (Array.isArray(value)) for (const item of value) visit(item, sensitive);
    else if (isObject(value)) {
      for (const [name, item] of Object.entries(value)) {
        // The name of a variable or a file is not the secret.
        const source = sensitive && (name === "env" || name === "file");
        visit(item, !source && (sensitive || isSecretName(name)));
      }
    }
  };
  visit(document, false);
  return [...found].toSorted((a, b) => b.length - a.length);
}

/** With more hidden texts in one document, or in a longer message, the search would take too long. */
const mostHidden = 100;
const longestMessage = 2000;

/**
 * A message with the hidden texts masked, in upper or lower case.
 * @param instead the message to use when the search would take too long
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

/** The text with every whole occurrence of a secret masked; a longer word that contains the secret stays. */
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

/** Whether there is a letter or digit on both sides of an offset. */
function isInsideWord(text: string, at: number): boolean {
  return letterOrDigit.test(text.slice(Math.max(0, at - 1), at)) && letterOrDigit.test(text.slice(at, at + 1));
}

const letterOrDigit = /[\p{L}\p{N}]/u;
