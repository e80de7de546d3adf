import type { Composer, Document, DocumentOptions, Node, ParseOptions, SchemaOptions } from "yaml";
import { explainError } from "./explain-error.js";
import { readTokens } from "./lexemes.js";
import type { LimitExceeded } from "./lexemes.js";
import { isMap, isScalar, isSeq, yaml } from "./library.js";
import { limits } from "../../limits.js";
import { nodeToJson } from "./node-to-json.js";
import type { ParsedDocument, ParsedFile, SyntaxProblem } from "./parsed-file.js";

type ComposeOptions = ParseOptions & DocumentOptions & SchemaOptions;
let composeOptions: ComposeOptions | undefined;

/**
 * Composes documents by YAML 1.2 core, one schema for all; known tags (`!!binary`, `!!set`) stay unknown. Unique keys
 * are checked by {@link nodeToJson}, in linear time.
 */
export function newComposer(): Composer {
  const { Composer, Schema } = yaml();
  composeOptions ??= {
    schema: new Schema({ schema: "core", resolveKnownTags: false }),
    prettyErrors: false,
    uniqueKeys: false,
    strict: true,
  };
  return new Composer(composeOptions);
}

/**
 * Reads the documents of any YAML file with the YAML library; `parseFile` tries a faster way first.
 * Bounded in time and memory by {@link limits}. Never throws.
 */
export function parseAny(text: string): ParsedFile {
  // The library makes an error of each problem, and a file may have a million: their stack traces cost the most.
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
      message: "manifests are YAML 1.2, and this file asks for YAML 1.1",
      remedy: "Take the line %YAML 1.1 away; in YAML 1.2 yes, no, on and off are text.",
    });
  }
  for (const error of [...errors, ...warnings].slice(0, limits.yamlProblems)) {
    found.push(explainError(error, (end) => quoteBefore(document.contents, end)));
  }
  return found;
}

/** Where the quoted scalar begins that ends nearest to an offset, not after it. */
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
      remedy: "No manifest needs this; look for unclosed brackets.",
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
