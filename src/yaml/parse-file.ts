import { type CST, Composer, type Document, Lexer, Parser, Schema, isScalar, visit } from "yaml";
import { limits } from "../core/limits.js";
import { explainErrors } from "./explain-error.js";
import { nodeToJson } from "./node-to-json.js";
import type { ParsedDocument, ParsedFile, SyntaxProblem } from "./parsed-file.js";
import { readPlain } from "./plain-reader.js";

/** Leaves out documents with a problem, and empty ones. Bounded in time and memory. Never throws. */
export function parseFile(text: string): ParsedFile {
  const documents = readPlain(text, parseAny);
  return documents === null ? parseAny(text) : { documents, problems: [] };
}

/** With the YAML library alone. */
export function parseAny(text: string): ParsedFile {
  // The library creates an Error for each of maybe a million problems.
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
  // What is left over after an error is no news.
  if (problems.length === 0) problems.push(...explainErrors(errors, text, () => null));
  return { documents, problems };
}

function problemsOf(document: Document.Parsed, text: string): SyntaxProblem[] {
  const found: SyntaxProblem[] = [];
  const { directives, errors, warnings } = document;
  if (directives.yaml.explicit === true && directives.yaml.version === "1.1")
    found.push({
      code: "yaml-directive",
      offset: 0,
      message: "manifests are YAML 1.2, but this file asks for YAML 1.1",
      remedy: "Remove the line; in YAML 1.2, yes, no, on and off are text.",
    });
  const all = [...errors, ...warnings].slice(0, limits.yamlProblems);
  return [...found, ...explainErrors(all, text, (end) => quoteBefore(document, end))];
}

/** The start of the last quoted scalar before an offset. */
function quoteBefore(document: Document.Parsed, end: number): number | null {
  let last: number | null = null;
  visit(document, {
    Scalar(_key, { range, type }) {
      const start = range?.[0] ?? end;
      if ((type === "QUOTE_DOUBLE" || type === "QUOTE_SINGLE") && start < end) last = start;
    },
  });
  return last;
}

/** At last a problem, when a limit is exceeded. The parser alone would return whole documents. */
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
