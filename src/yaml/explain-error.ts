import type { ErrorCode, YAMLError } from "yaml";
import { indentationProblem } from "./indentation.js";
import type { SyntaxProblem } from "./parsed-file.js";

type ErrorText = Pick<SyntaxProblem, "code" | "message" | "remedy">;

const messagesByCode: { readonly [C in ErrorCode]?: ErrorText } = {
  TAB_AS_INDENT: {
    code: "yaml-syntax",
    message: "a tab is used for indentation",
    remedy: "Replace it with spaces: YAML does not allow tabs there.",
  },
  BAD_INDENT: {
    code: "yaml-syntax",
    message: "the indentation does not match the lines above",
    remedy: "Align the members of a map in one column.",
  },
  BLOCK_AS_IMPLICIT_KEY: {
    code: "yaml-syntax",
    message: "a map begins where a single value is expected",
    remedy: "Put the map on its own lines, indented further, or put quotes around a text that contains a colon.",
  },
  MULTILINE_IMPLICIT_KEY: {
    code: "yaml-syntax",
    message: "a colon is missing here, or a quote or bracket is not closed",
    remedy: "Write `key: value` on one line, or close the quote or bracket.",
  },
  KEY_OVER_1024_CHARS: {
    code: "yaml-syntax",
    message: "a key has more than 1024 characters",
    remedy: "Put quotes around a text that contains a colon, or shorten the key.",
  },
  MULTIPLE_ANCHORS: { code: "yaml-syntax", message: "a value has two anchors", remedy: "Keep one of them." },
  MULTIPLE_TAGS: { code: "yaml-tag", message: "a value has two tags", remedy: "Remove them; manifests need no tags." },
  TAG_RESOLVE_FAILED: {
    code: "yaml-tag",
    message: "tags (!name) are not allowed in manifests",
    remedy: "Remove the tag; put quotes around a text that begins with an exclamation mark.",
  },
  BAD_DIRECTIVE: { code: "yaml-directive", message: "unknown directive", remedy: "Remove the line." },
  BAD_DQ_ESCAPE: {
    code: "yaml-syntax",
    message: "unknown escape inside double quotes",
    remedy: "Write a backslash as \\\\, or use single quotes, in which it needs no escape.",
  },
  BAD_SCALAR_START: {
    code: "yaml-syntax",
    message: "a plain text can't begin with this character",
    remedy: "Put quotes around the text.",
  },
};

/** Errors after which the parser still knows where it is. After any other, what it reports is a consequence. */
const local: ReadonlySet<ErrorCode> = new Set([
  "TAB_AS_INDENT",
  "TAG_RESOLVE_FAILED",
  "MULTIPLE_TAGS",
  "MULTIPLE_ANCHORS",
  "BAD_DIRECTIVE",
  "BAD_DQ_ESCAPE",
  "BAD_SCALAR_START",
]);

/** The text that errors are in. */
export interface ErrorSource {
  readonly text: string;
  /** Where the document begins. */
  readonly from: number;
  /** Whether the lines above an error are looked at; not for each of a hundred thousand errors of one file. */
  readonly looksAbove: boolean;
  /** The start of the quoted text that ends at an offset: an unclosed quote is shown at its start. */
  readonly quoteBefore: (end: number) => number | null;
}

/** The errors of the YAML library in words for the author of the file, without those that follow from others. */
export function explainErrors(errors: readonly YAMLError[], source: ErrorSource): readonly SyntaxProblem[] {
  const found: SyntaxProblem[] = [];
  for (const error of errors) {
    const problem = explainError(error, source);
    if (problem !== null) found.push(problem);
    if (!local.has(error.code)) break;
  }
  return found;
}

/** The first mark of a merge conflict; null when there is none. */
export function conflictIn(text: string, from: number, to: number): SyntaxProblem | null {
  const found = /^(?:<{7}|>{7})(?: |\r?$)/mu.exec(text.slice(from, to));
  if (found === null) return null;
  return {
    code: "yaml-syntax",
    offset: from + found.index,
    message: "this is the mark of a merge conflict that Git could not resolve",
    remedy: "Keep one of the two sides, and remove the lines with <<<<<<<, ======= and >>>>>>>.",
  };
}

/** A template where YAML is read, as far as its line shows it. */
export function templateAt(text: string, offset: number): SyntaxProblem | null {
  const start = lineStart(text, offset);
  const found = /(?<!\$)\{\{|\{%/u.exec(lineAt(text, offset));
  if (found === null) return null;
  return {
    code: "yaml-syntax",
    offset: start + found.index,
    message: `${found[0]} begins a template of another tool, which edgewise does not fill in`,
    remedy: 'Let that tool write the file first, or use "${{ vars.NAME }}" in quotes.',
  };
}

function explainError(error: YAMLError, { from, looksAbove, quoteBefore, text }: ErrorSource): SyntaxProblem {
  const offset = error.pos[0];
  const special = templateAt(text, offset) ?? unquotedExpression(text, offset);
  if (special !== null) return special;
  if (/missing closing ['"]/iu.test(error.message)) {
    return {
      code: "yaml-syntax",
      offset: quoteBefore(offset) ?? offset,
      message: "this quote is never closed",
      remedy: "Close it. Inside double quotes write \\\" for a quote, inside single quotes write ''.",
    };
  }
  if (/^Flow (map|sequence) in block collection/iu.test(error.message)) {
    return {
      code: "yaml-syntax",
      offset,
      message: `a ${error.message.includes("map") ? "{" : "["} that was opened above is not closed before this line`,
      remedy: "Close it, or indent what belongs to it further.",
    };
  }
  if (error.message.startsWith("Missing , ")) {
    return {
      code: "yaml-syntax",
      offset,
      message: "a comma is missing before this",
      remedy: "Put a comma after the item before it, or quotes around a text with special characters.",
    };
  }
  if (error.message.startsWith("Unexpected scalar at node end")) {
    return {
      code: "yaml-syntax",
      offset,
      message: "a text follows a value that has ended",
      remedy: "Put the quotes around all of it, or remove what follows the closing quote or bracket.",
    };
  }
  if (error.code === "BAD_SCALAR_START") return { ...inQuotes(text, offset, messagesByCode.BAD_SCALAR_START), offset };
  if (!local.has(error.code)) {
    const wrong = looksAbove ? indentationProblem(text, from, offset) : null;
    if (wrong !== null) return { code: "yaml-syntax", ...wrong };
    if (error.code === "BLOCK_AS_IMPLICIT_KEY" && /:\s/u.test(lineAt(text, offset, offset))) {
      const message = "a colon and a space inside a text need quotes around the text";
      return { ...inQuotes(text, offset, { code: "yaml-syntax", message, remedy: "Put the text in quotes." }), offset };
    }
  }
  if (error.code === "MULTILINE_IMPLICIT_KEY") {
    const bare = bareLine(lineAt(text, offset));
    if (bare !== null) return { code: "yaml-syntax", ...bare, offset };
  }
  return { ...(messagesByCode[error.code] ?? fromLibraryMessage(error.message)), offset };
}

/** A line that holds a word alone, or dashes that were meant to separate documents. */
function bareLine(line: string): Omit<ErrorText, "code"> | null {
  if (/^(?:-{2}|-{4,})\s*$/u.test(line))
    return { message: "documents are separated by three dashes", remedy: "Write --- on this line." };
  if (/^\s*(?:- )?[\w-]{1,60} = /u.test(line))
    return { message: "a member is written with a colon, not with =", remedy: "Write a colon instead of =." };
  const name = /^\s*(?:- )?([a-z]{1,40}(?:_[a-z]{1,40}){0,3})\s*$/iu.exec(line)?.[1];
  return name === undefined
    ? null
    : {
        message: "a colon is missing after this",
        remedy: "Write a colon after it, and its value after the colon or below it.",
      };
}

/** The remedy quotes the rest of the line, if it may be shown. */
function inQuotes(text: string, offset: number, words: ErrorText | undefined): ErrorText & { quotingRemedy?: string } {
  const { code = "yaml-syntax", message = "", remedy = "" } = words ?? {};
  const line = lineAt(text, offset, offset);
  const comment = line.search(/\s#/u);
  const rest = (comment === -1 ? line : line.slice(0, comment)).trim();
  if (rest === "" || /["\\,[\]{}]/u.test(rest)) return { code, message, remedy };
  return { code, message, remedy, quotingRemedy: `Put it in quotes: "${rest}".` };
}

function unquotedExpression(text: string, offset: number): SyntaxProblem | null {
  const line = lineAt(text, offset);
  const open = line.indexOf("${{");
  const close = line.indexOf("}}", open);
  if (open === -1 || close === -1 || /["']/u.test(line.slice(open, close))) return null;
  let [from, to] = [open, close + 2];
  while (from > 0 && isPlain(line.charAt(from - 1))) from--;
  while (to < line.length && isPlain(line.charAt(to))) to++;
  const start = lineStart(text, offset) + from;
  if (offset < start || offset > start + to - from) return null;
  return {
    code: "yaml-syntax",
    offset: start,
    message: "an expression inside brackets or at the beginning of a text needs quotes",
    remedy: "Put quotes around the whole text.",
    quotingRemedy: `Put it in quotes: "${line.slice(from, to)}".`,
  };
}

function isPlain(character: string): boolean {
  return !/[\s,[\]{}"']/u.test(character);
}

/** A line may be as long as a file: so many characters on each side are looked at. */
const nearby = 300;

function lineStart(text: string, offset: number): number {
  const from = Math.max(0, offset - nearby);
  return from + text.slice(from, offset).lastIndexOf("\n") + 1;
}

function lineAt(text: string, offset: number, from = lineStart(text, offset)): string {
  const [line = ""] = text.slice(offset, offset + nearby).split("\n", 1);
  return (text.slice(from, offset) + line).replace(/\r$/u, "");
}

/** The library's own message, up to where it may quote the source (which may be a secret), in lower case. */
function fromLibraryMessage(message: string): ErrorText {
  const [bare = ""] = message.split(/[:;"'`]/u);
  const words = bare.replace(/\s+/gu, " ");
  let end = words.length;
  while (end > 0 && /[\s.]/u.test(words.charAt(end - 1))) end -= 1;
  const first = words.slice(0, end);
  return {
    code: "yaml-syntax",
    message: `this is not valid YAML: ${first.charAt(0).toLowerCase()}${first.slice(1)}`,
    remedy: "Add the colon, quote, bracket or space that is missing.",
  };
}
