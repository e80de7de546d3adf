import type { ErrorCode, YAMLError } from "yaml";
import type { SyntaxProblem } from "./parsed-file.js";

/** What is said of a mistake that people make. */
interface Hint {
  /** Of the library's code and message. */
  readonly error: RegExp;
  readonly code?: SyntaxProblem["code"];
  readonly message: string;
  readonly remedy: string;
}

/** The first that fits is shown. */
const hints: readonly Hint[] = [
  {
    error: /missing closing ['"]/iu,
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
    message: "a colon, or the space after it, is missing here, or a quote or bracket is not closed",
    remedy: "Write `key: value` on one line, or close the quote or bracket.",
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

/** Said of any error in a line that has an expression without quotes. */
const expression: Omit<Hint, "error"> = {
  message: "an expression inside brackets or at the beginning of a text needs quotes",
  remedy: "Put quotes around the whole text.",
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
    const [end] = error.pos;
    // A line may be as long as a file.
    const [line = ""] = text.slice(Math.max(text.lastIndexOf("\n", end - 1) + 1, end - 300), end + 300).split("\n", 1);
    const isExpression = /[\s,[{]\$\{\{[^"'{}]*\}\}/u.test(line);
    const hint = isExpression ? expression : hints.find((each) => each.error.test(`${error.code} ${error.message}`));
    if (hint === undefined) return { ...fromLibraryMessage(error.message), offset: end };
    const { code = "yaml-syntax", message, remedy } = hint;
    return { code, message, remedy, offset: (hint === hints[0] ? quoteBefore(end) : null) ?? end };
  });
}

/** The library's own message, up to where it may quote the source (which may be a secret), in lower case. */
function fromLibraryMessage(message: string): Omit<SyntaxProblem, "offset"> {
  const [bare = ""] = message.split(/[:;"'`]/u);
  const words = bare.replaceAll(/\s+/gu, " ").trim();
  return {
    code: "yaml-syntax",
    message: `this is not valid YAML: ${words.charAt(0).toLowerCase()}${words.slice(1)}`,
    remedy: "Add the colon, quote, bracket or space that is missing.",
  };
}
