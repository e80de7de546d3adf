import type { YAMLError } from "yaml";
import type { SyntaxProblem } from "./parsed-file.js";

/** What is said of a mistake that people make; `error` matches the library's code and message. */
type Hint = readonly [error: RegExp, message: string, remedy: string, code?: SyntaxProblem["code"]];

/** Said of any error in a line that has an expression without quotes. */
const expression: Hint = [
  /^/u,
  "an expression inside brackets or at the beginning of a text needs quotes",
  "Put quotes around the whole text.",
];

const unclosedQuote: Hint = [
  /missing closing ['"]/iu,
  "this quote is never closed",
  "Close it. Inside double quotes write \\\" for a quote, inside single quotes write ''.",
];

/** The first that fits is shown. */
const hints: readonly Hint[] = [
  unclosedQuote,
  [
    /Flow (?:map|sequence) in block collection/iu,
    "a bracket that was opened above is not closed before this line",
    "Close it, or indent what belongs to it further.",
  ],
  [
    /Missing , /u,
    "a comma is missing before this",
    "Put a comma after the item before it, or quotes around a text with special characters.",
  ],
  [/^TAB_AS_INDENT/u, "a tab is used for indentation", "Replace it with spaces: YAML does not allow tabs there."],
  [
    /^BAD_INDENT/u,
    "the indentation does not match the lines above",
    "Begin the members of a map, and the dashes of a list, in one column.",
  ],
  [
    /^BLOCK_(?:AS_IMPLICIT_KEY|IN_FLOW)/u,
    "a map begins where a single value is expected",
    "Begin the line in the column of the member that it belongs beside, or put quotes around a text that contains a colon.",
  ],
  [
    /^MULTILINE_IMPLICIT_KEY/u,
    "a colon, or the space after it, is missing here, or a quote or bracket is not closed",
    "Write `key: value` on one line, or close the quote or bracket.",
  ],
  [
    /^(?:TAG_RESOLVE_FAILED|MULTIPLE_TAGS)/u,
    "tags (!name) are not allowed in manifests",
    "Remove the tag; put quotes around a text that begins with an exclamation mark.",
    "yaml-tag",
  ],
  [/^BAD_DIRECTIVE/u, "unknown directive", "Remove the line.", "yaml-directive"],
  [
    /^BAD_DQ_ESCAPE/u,
    "unknown escape inside double quotes",
    "Write a backslash as \\\\, or use single quotes, in which it needs no escape.",
  ],
  [/^BAD_SCALAR_START/u, "a plain text can't begin with this character", "Put quotes around the text."],
];

/** Errors after which the parser still knows where it is. After any other, what it reports is a consequence. */
const local: ReadonlySet<string> = new Set(
  "TAB_AS_INDENT TAG_RESOLVE_FAILED MULTIPLE_TAGS MULTIPLE_ANCHORS BAD_DIRECTIVE BAD_DQ_ESCAPE BAD_SCALAR_START".split(
    " ",
  ),
);

/** Without errors that follow from others. An unclosed quote is shown at its start, which `quoteBefore` finds. */
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
    const hint = isExpression ? expression : hints.find(([pattern]) => pattern.test(`${error.code} ${error.message}`));
    if (hint === undefined) {
      // Up to where the library may quote the source, which may be a secret.
      const words = (error.message.split(/[:;"'`]/u, 1)[0] ?? "").replaceAll(/\s+/gu, " ").trim();
      const message = `this is not valid YAML: ${words.charAt(0).toLowerCase()}${words.slice(1)}`;
      const remedy = "Add the colon, quote, bracket or space that is missing.";
      return { code: "yaml-syntax", message, remedy, offset: end };
    }
    const [, message, remedy, code = "yaml-syntax"] = hint;
    return { code, message, remedy, offset: (hint === unclosedQuote ? quoteBefore(end) : null) ?? end };
  });
}
