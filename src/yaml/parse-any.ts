import type {
  Composer,
  Document,
  DocumentOptions,
  ErrorCode,
  Node,
  ParseOptions,
  SchemaOptions,
  YAMLError,
} from "yaml";
import { limits } from "../limits.js";
import { nodeToJson } from "./node-to-json.js";
import type { ParsedDocument, ParsedFile, SyntaxProblem } from "./parsed-file.js";
import { type LimitExceeded, isMap, isScalar, isSeq, readTokens, yaml } from "./yaml-library.js";

type ComposeOptions = ParseOptions & DocumentOptions & SchemaOptions;
let composeOptions: ComposeOptions | undefined;

/**
 * Composes documents by the core schema of YAML 1.2, without its known tags (`!!binary`, `!!set`).
 * {@link nodeToJson} checks for duplicate keys, in linear time.
 * @param options `keepSourceTokens`: nodes know the tokens they were made of
 */
export function newComposer(options: { readonly keepSourceTokens?: boolean } = {}): Composer {
  const { Composer, Schema } = yaml();
  composeOptions ??= {
    schema: new Schema({ schema: "core", resolveKnownTags: false }),
    prettyErrors: false,
    uniqueKeys: false,
    strict: true,
  };
  return new Composer({ ...composeOptions, ...options });
}

/**
 * Reads the documents of any YAML file with the YAML library. `parseFile` tries a faster reader first.
 * Bounded in time and memory by {@link limits}. Never throws.
 */
export function parseAny(text: string): ParsedFile {
  // The library creates an Error for each problem, and a file may have a million; most of the time goes into stack traces.
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return parse(text);
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

function parse(text: string): ParsedFile {
  const documents: ParsedDocument[] = [];
  const problems: SyntaxProblem[] = [];
  const take = (document: Document.Parsed): void => {
    const found = problemsOf(document);
    const value =
      found.length > 0
        ? null
        : nodeToJson(document.contents, (problem) => {
            if (found.length < limits.yamlProblems) found.push(problem);
          });
    if (found.length > 0) problems.push(...found);
    else if (!isEmpty(document.contents)) {
      const [start, , end] = document.range;
      documents.push({ value, start, end, content: document.contents?.range[0] ?? start });
    }
  };

  const composer = newComposer();
  for (const token of readTokens(text)) {
    if (token.type === "excess") {
      problems.push(tooLargeProblem(token));
      return { documents, problems };
    }
    for (const document of composer.next(token)) take(document);
  }
  for (const document of composer.end()) take(document);
  const { errors } = composer.streamInfo();
  problems.push(...errors.slice(0, limits.yamlProblems).map((error) => explainError(error, () => null)));
  return { documents, problems };
}

function problemsOf(document: Document.Parsed): SyntaxProblem[] {
  const found: SyntaxProblem[] = [];
  const { directives, errors, warnings } = document;
  if (directives.yaml.explicit === true && directives.yaml.version === "1.1") {
    found.push({
      code: "yaml-directive",
      offset: 0,
      message: "manifests are YAML 1.2, but this file asks for YAML 1.1",
      remedy: "Remove the line %YAML 1.1. In YAML 1.2, yes, no, on and off are text.",
    });
  }
  for (const error of [...errors, ...warnings].slice(0, limits.yamlProblems)) {
    found.push(explainError(error, (end) => quoteBefore(document.contents, end)));
  }
  return found;
}

/** The start of the last quoted scalar that ends at or before an offset. */
function quoteBefore(node: Node | null, end: number): number | null {
  let best: number | null = null;
  const visit = (inner: Node | null): void => {
    if (isSeq(inner)) for (const item of inner.items) visit(item as Node | null);
    if (isMap(inner)) {
      for (const { key, value } of inner.items) {
        visit(key as Node | null);
        visit(value as Node | null);
      }
    }
    if (!isScalar(inner) || !(inner.type === "QUOTE_DOUBLE" || inner.type === "QUOTE_SINGLE")) return;
    const [start, valueEnd] = inner.range ?? [0, 0];
    if (start <= end && valueEnd >= end - 1) best = start;
  };
  visit(node);
  return best;
}

function isEmpty(contents: Node | null): boolean {
  return contents === null || (isScalar(contents) && contents.value === null);
}

function tooLargeProblem({ of, offset }: LimitExceeded): SyntaxProblem {
  if (of === "depth") {
    return {
      code: "yaml-depth",
      offset,
      message: `maps and lists are nested more than ${limits.depth} deep; the rest of this file was not read`,
      remedy: "Reduce the nesting, or look for unclosed brackets.",
    };
  }
  return {
    code: "yaml-size",
    offset,
    message:
      of === "tokens"
        ? `one document has more than ${limits.yamlTokens} tokens; the rest of this file was not read`
        : `this file has more than ${limits.documents} documents and directives; the rest of it was not read`,
    remedy: of === "tokens" ? "Split the document." : "Split the file.",
  };
}

type ErrorText = Pick<SyntaxProblem, "code" | "message" | "remedy">;

const messagesByCode: { readonly [C in ErrorCode]?: ErrorText } = {
  TAB_AS_INDENT: {
    code: "yaml-syntax",
    message: "a tab is used for indentation",
    remedy: "Indent with spaces: YAML does not allow tabs there.",
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
    message: "a key spans more than one line; a colon is missing, or a quote or bracket is not closed",
    remedy: "Write `key: value` on one line, and look for the missing colon, quote or bracket.",
  },
  MULTIPLE_ANCHORS: { code: "yaml-syntax", message: "a value has two anchors", remedy: "Keep one of them." },
  MULTIPLE_TAGS: { code: "yaml-tag", message: "a value has two tags", remedy: "Remove them; manifests need no tags." },
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

/**
 * An error of the YAML library in words for the author of the file.
 * @param quoteBefore the start of the quoted text that ends at an offset: an unclosed quote is shown at its start
 */
function explainError(error: YAMLError, quoteBefore: (end: number) => number | null): SyntaxProblem {
  const offset = error.pos[0];
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
  const known = messagesByCode[error.code];
  if (known !== undefined) return { ...known, offset };
  if (error.code === "TAG_RESOLVE_FAILED") {
    return {
      code: "yaml-tag",
      offset,
      message: "tags (!name) are not allowed in manifests",
      remedy: "Remove the tag; put quotes around a text that begins with an exclamation mark.",
    };
  }
  if (error.code === "BAD_DIRECTIVE") {
    return { code: "yaml-directive", offset, message: "unknown directive", remedy: "Remove the line." };
  }
  return { ...fromLibraryMessage(error.message), offset };
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
    remedy: "Look at this line and the one above it for a missing colon, quote, bracket or space.",
  };
}
