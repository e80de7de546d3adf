import type { ErrorCode, YAMLError } from "yaml";
import type { SyntaxProblem } from "./parsed-file.js";

/** What is said of a mistake that people make. */
interface Hint {
  /** Of the library's code and message. Absent = any error. */
  readonly error?: RegExp;
  /** Of the line of the error: the problem is shown where it matches. */
  readonly line?: RegExp;
  /** Shown where the last quoted text begins. */
  readonly atQuote?: true;
  readonly code?: SyntaxProblem["code"];
  readonly message: string;
  readonly remedy: string;
}

const template: Hint = {
  line: /(?<!\$)(?:\{\{|\{%)/u,
  message: "this begins a template of another tool, which edgewise does not fill in",
  remedy: 'Let that tool write the file first, or use "${{ vars.NAME }}" in quotes.',
};

/** The first that fits is shown. */
const hints: readonly Hint[] = [
  template,
  {
    line: /(?<=[\s,[{])\$\{\{[^"'{}]*\}\}/u,
    message: "an expression inside brackets or at the beginning of a text needs quotes",
    remedy: "Put quotes around the whole text.",
  },
  {
    error: /missing closing ['"]/iu,
    atQuote: true,
    message: "this quote is never closed",
    remedy: "Close it. Inside double quotes write \\\" for a quote, inside single quotes write ''.",
  },
  {
    error: /Flow (?:map|sequence) in block collection/iu,
    message: "a bracket that was opened above is not closed before this line",
    remedy: "Close it, or indent what belongs to it further.",
  },
  {
    error: /Missing , /u,
    message: "a comma is missing before this",
    remedy: "Put a comma after the item before it, or quotes around a text with special characters.",
  },
  {
    error: /Unexpected scalar at node end/u,
    message: "a text follows a value that has ended",
    remedy: "Put the quotes around all of it, or remove what follows the closing quote or bracket.",
  },
  {
    error: /^TAB_AS_INDENT/u,
    message: "a tab is used for indentation",
    remedy: "Replace it with spaces: YAML does not allow tabs there.",
  },
  {
    error: /^BAD_INDENT/u,
    message: "the indentation does not match the lines above",
    remedy: "Begin the members of a map, and the dashes of a list, in one column.",
  },
  {
    error: /^BLOCK_(?:AS_IMPLICIT_KEY|IN_FLOW)/u,
    message: "a map begins where a single value is expected",
    remedy:
      "Begin the line in the column of the member that it belongs beside, or put quotes around a text that contains a colon.",
  },
  {
    error: /^MULTILINE_IMPLICIT_KEY/u,
    line: /^(?:-{2}|-{4,})\s*$/u,
    message: "documents are separated by three dashes",
    remedy: "Write --- on this line.",
  },
  {
    error: /^MULTILINE_IMPLICIT_KEY/u,
    line: /(?<=[\w-]) = /u,
    message: "a member is written with a colon, not with =",
    remedy: "Write a colon instead of =.",
  },
  {
    error: /^MULTILINE_IMPLICIT_KEY/u,
    message: "a colon, or the space after it, is missing here, or a quote or bracket is not closed",
    remedy: "Write `key: value` on one line, or close the quote or bracket.",
  },
  {
    error: /^KEY_OVER_1024_CHARS/u,
    message: "a key has more than 1024 characters",
    remedy: "Put quotes around a text that contains a colon, or shorten the key.",
  },
  {
    error: /^(?:TAG_RESOLVE_FAILED|MULTIPLE_TAGS)/u,
    code: "yaml-tag",
    message: "tags (!name) are not allowed in manifests",
    remedy: "Remove the tag; put quotes around a text that begins with an exclamation mark.",
  },
  { error: /^BAD_DIRECTIVE/u, code: "yaml-directive", message: "unknown directive", remedy: "Remove the line." },
  {
    error: /^BAD_DQ_ESCAPE/u,
    message: "unknown escape inside double quotes",
    remedy: "Write a backslash as \\\\, or use single quotes, in which it needs no escape.",
  },
  {
    error: /^BAD_SCALAR_START/u,
    message: "a plain text can't begin with this character",
    remedy: "Put quotes around the text.",
  },
];

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

/**
 * The errors of the YAML library in words for the author of the file, without those that follow from others.
 * @param quoteBefore the start of the quoted text that ends at an offset: an unclosed quote is shown at its start
 */
export function explainErrors(
  errors: readonly YAMLError[],
  text: string,
  quoteBefore: (end: number) => number | null,
): readonly SyntaxProblem[] {
  const last = errors.findIndex(({ code }) => !local.has(code));
  return errors.slice(0, last === -1 ? errors.length : last + 1).map((error) => {
    const [offset] = error.pos;
    const said = `${error.code} ${error.message}`;
    for (const hint of hints) {
      const found = hint.error?.test(said) === false ? null : apply(hint, text, offset);
      if (found !== null) return hint.atQuote === true ? { ...found, offset: quoteBefore(offset) ?? offset } : found;
    }
    return { ...fromLibraryMessage(error.message), offset };
  });
}

/** A template where YAML is read, as far as its line shows it. */
export function templateAt(text: string, offset: number): SyntaxProblem | null {
  return apply(template, text, offset);
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

/** A line may be as long as a file: so many characters on each side of an error are looked at. */
const nearby = 300;

function apply(
  { code = "yaml-syntax", line, message, remedy }: Hint,
  text: string,
  offset: number,
): SyntaxProblem | null {
  const from = Math.max(0, offset - nearby);
  const start = from + text.slice(from, offset).lastIndexOf("\n") + 1;
  const [rest = ""] = text.slice(offset, offset + nearby).split("\n", 1);
  const found = line?.exec(text.slice(start, offset) + rest.replace(/\r$/u, ""));
  if (found === null) return null;
  return { code, offset: found === undefined ? offset : start + found.index, message, remedy };
}

/** The library's own message, up to where it may quote the source (which may be a secret), in lower case. */
function fromLibraryMessage(message: string): Omit<SyntaxProblem, "offset"> {
  const [bare = ""] = message.split(/[:;"'`]/u);
  let words = bare.replaceAll(/\s+/gu, " ").trimEnd();
  while (words.endsWith(".")) words = words.slice(0, -1).trimEnd();
  return {
    code: "yaml-syntax",
    message: `this is not valid YAML: ${words.charAt(0).toLowerCase()}${words.slice(1)}`,
    remedy: "Add the colon, quote, bracket or space that is missing.",
  };
}
