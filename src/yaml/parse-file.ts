import { type CST, Composer, type Document, Lexer, Parser, Schema, type YAMLError, isScalar, visit } from "yaml";
import { limits } from "../core/limits.js";
import { nodeToJson } from "./node-to-json.js";
import type { ParsedDocument, ParsedFile, SyntaxProblem } from "./parsed-file.js";
import { readPlain } from "./plain-reader.js";

/** Without documents that are empty or have a problem. Bounded in time and memory. */
export function parseFile(text: string): ParsedFile {
  const documents = readPlain(text, parseAny);
  return documents === null ? parseAny(text) : { documents, problems: [] };
}

export function parseAny(text: string): ParsedFile {
  // There may be a million problems, each an Error.
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return parse(text);
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

const schema = new Schema({ schema: "core", resolveKnownTags: false });

/** {@link nodeToJson} finds duplicate keys. */
export function newComposer(options: { readonly keepSourceTokens?: boolean } = {}): Composer {
  return new Composer({ schema, prettyErrors: false, uniqueKeys: false, strict: true, ...options });
}

function parse(text: string): ParsedFile {
  const documents: ParsedDocument[] = [];
  const problems: SyntaxProblem[] = [];
  const take = (document: Document.Parsed): void => {
    const { contents, range } = document;
    const found = problemsOf(document, text);
    const report = (problem: SyntaxProblem): void => {
      if (found.length < limits.yamlProblems) found.push(problem);
    };
    const value = found.length > 0 ? null : nodeToJson(contents, report);
    if (found.length > 0) problems.push(...found);
    else if (contents !== null && !(isScalar(contents) && contents.value === null))
      documents.push({ value, start: range[0], end: range[2], content: contents.range[0] });
  };

  const composer = newComposer();
  for (const token of readTokens(text)) {
    if ("code" in token) return { documents, problems: [...problems, token] };
    for (const document of composer.next(token)) take(document);
  }
  for (const document of composer.end()) take(document);
  const { errors } = composer.streamInfo();
  if (problems.length === 0) problems.push(...explainErrors(errors, text, (end) => end));
  return { documents, problems };
}

function problemsOf(document: Document.Parsed, text: string): SyntaxProblem[] {
  const { directives, errors, warnings } = document;
  const all = [...errors, ...warnings].slice(0, limits.yamlProblems);
  const found = explainErrors(all, text, (end) => quoteBefore(document, end));
  if (directives.yaml.explicit !== true || directives.yaml.version !== "1.1") return found;
  const message = "manifests are YAML 1.2, but this file asks for YAML 1.1";
  const remedy = "Remove the line; in YAML 1.2, yes, no, on and off are text.";
  return [{ code: "yaml-directive", offset: 0, message, remedy }, ...found];
}

function quoteBefore(document: Document.Parsed, end: number): number {
  let last = end;
  visit(document, {
    Scalar(_key, { range, type }) {
      const start = range?.[0] ?? end;
      if (type?.startsWith("QUOTE") === true && start < end) last = start;
    },
  });
  return last;
}

/** At last a problem, when a limit is exceeded. */
function* readTokens(text: string): Generator<CST.Token | SyntaxProblem, void> {
  const parser = new Parser();
  let count = 0;
  let documents = 0;
  const excess = (code: "yaml-depth" | "yaml-size", what: string, remedy: string): SyntaxProblem => {
    const message = `${what}; the rest of this file was not read`;
    return { code, offset: parser.offset, message, remedy };
  };
  for (const lexeme of new Lexer().lex(text)) {
    for (const token of parser.next(lexeme)) {
      if (token.type === "document") count = 0;
      if (token.type === "document" || token.type === "doc-end" || token.type === "directive") documents += 1;
      yield token;
    }
    if (parser.stack.length > 2 * limits.depth) {
      const what = `maps and lists are nested more than ${limits.depth} deep`;
      return yield excess("yaml-depth", what, "Reduce the nesting, or look for unclosed brackets.");
    }
    if (documents > limits.documents)
      return yield excess("yaml-size", `this file has more than ${limits.documents} documents`, "Split the file.");
    if (++count > limits.yamlTokens)
      return yield excess("yaml-size", `one document has more than ${limits.yamlTokens} tokens`, "Split the document.");
  }
  yield* parser.end();
}

type Hint = readonly [error: RegExp, message: string, remedy: string, code?: SyntaxProblem["code"]];

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

/** After any other error there are only consequences. */
const local: ReadonlySet<string> = new Set(
  "TAB_AS_INDENT TAG_RESOLVE_FAILED MULTIPLE_TAGS MULTIPLE_ANCHORS BAD_DIRECTIVE BAD_DQ_ESCAPE BAD_SCALAR_START".split(
    " ",
  ),
);

/** `quoteBefore` finds the start of an unclosed quote. */
function explainErrors(
  errors: readonly YAMLError[],
  text: string,
  quoteBefore: (end: number) => number,
): SyntaxProblem[] {
  const last = errors.findIndex(({ code }) => !local.has(code));
  return errors.slice(0, last === -1 ? errors.length : last + 1).map((error) => {
    const [end] = error.pos;
    // Lines may be long.
    const [line = ""] = text.slice(Math.max(text.lastIndexOf("\n", end - 1) + 1, end - 300), end + 300).split("\n", 1);
    const isExpression = /[\s,[{]\$\{\{[^"'{}]*\}\}/u.test(line);
    const hint = isExpression ? expression : hints.find(([pattern]) => pattern.test(`${error.code} ${error.message}`));
    if (hint === undefined) {
      // Behind these it may quote a secret.
      const words = (error.message.split(/[:;"'`]/u, 1)[0] ?? "").replaceAll(/\s+/gu, " ").trim();
      const message = `this is not valid YAML: ${words.charAt(0).toLowerCase()}${words.slice(1)}`;
      const remedy = "Add the colon, quote, bracket or space that is missing.";
      return { code: "yaml-syntax", message, remedy, offset: end };
    }
    const [, message, remedy, code = "yaml-syntax"] = hint;
    return { code, message, remedy, offset: hint === unclosedQuote ? quoteBefore(end) : end };
  });
}
