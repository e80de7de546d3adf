import type { YAMLError } from "yaml";
import type { SyntaxProblem } from "./parsed-file.js";

/** `error` matches the library's code and message. */
type Hint = readonly [error: RegExp, message: string, remedy: string, code?: SyntaxProblem["code"]];

/** Of any error in a line that has one without quotes. */
const expression: Hint = [
  /^/u,
  "an expression inside brackets or at the beginning of a text needs quotes",
  "Put quotes around the whole text.",
];

const unclosedQuote: Hint = [
  /missing closing ['"]/iu,
  "this quote is never closed",
  "Close it. A quote inside it is written \\\" or ''.",
];

/** The first that fits is shown. */
const hints: readonly Hint[] = [
  unclosedQuote,
  [
    /Flow (?:map|sequence) in block collection/iu,
    "a bracket that was opened above is not closed before this line",
    "Close it, or indent this line further.",
  ],
  [/Missing , /u, "a comma is missing before this", "Put a comma before it, or quotes around the text."],
  [/^TAB_AS_INDENT/u, "a tab is used for indentation", "Replace it with spaces."],
  [
    /^BAD_INDENT/u,
    "the indentation does not match the lines above",
    "Begin the members of a map or list in one column.",
  ],
  [
    /^BLOCK_(?:AS_IMPLICIT_KEY|IN_FLOW)/u,
    "a map begins where a single value is expected",
    "Correct the indentation, or put quotes around a text with a colon.",
  ],
  [
    /^MULTILINE_IMPLICIT_KEY/u,
    "a colon, or the space after it, is missing here, or a quote or bracket is not closed",
    "Write `key: value`, or close it.",
  ],
  [
    /^(?:TAG_RESOLVE_FAILED|MULTIPLE_TAGS)/u,
    "tags (!name) are not allowed in manifests",
    "Remove the tag, or put quotes around the text.",
    "yaml-tag",
  ],
  [/^BAD_DIRECTIVE/u, "unknown directive", "Remove the line.", "yaml-directive"],
  [/^BAD_DQ_ESCAPE/u, "unknown escape inside double quotes", "Write a backslash as \\\\, or use single quotes."],
  [/^BAD_SCALAR_START/u, "a plain text can't begin with this character", "Put quotes around the text."],
];

/** What the parser reports after any other error is a consequence. */
const local: ReadonlySet<string> = new Set(
  "TAB_AS_INDENT TAG_RESOLVE_FAILED MULTIPLE_TAGS MULTIPLE_ANCHORS BAD_DIRECTIVE BAD_DQ_ESCAPE BAD_SCALAR_START".split(
    " ",
  ),
);

/** Without errors that follow from others. `quoteBefore` finds the start of an unclosed quote. */
export function explainErrors(
  errors: readonly YAMLError[],
  text: string,
  quoteBefore: (end: number) => number | null,
): readonly SyntaxProblem[] {
  const last = errors.findIndex(({ code }) => !local.has(code));
  return errors.slice(0, last === -1 ? errors.length : last + 1).map((error) => {
    const [end] = error.pos;
    // Lines may be long.
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
