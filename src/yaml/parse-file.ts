import { parseAny } from "./parse-any.js";
import type { ParsedDocument, ParsedFile } from "./parsed-file.js";
import { readPlain } from "./plain-document.js";

/** Directives and document ends, which affect more than one document. */
const beyondDocuments = /^(?:%|\.\.\.|\ufeff)/m;

/** A line that only begins a document. */
const documentStart = /---(?: *| +#[^\r\n\u2028\u2029]*)(?:\r?\n|$)/y;

/**
 * Reads the documents of a YAML file. Leaves out documents with a problem, and empty ones. Bounded in time and memory.
 * Never throws.
 *
 * {@link readPlain} reads plain documents, the YAML library the others. When any document has a problem, the library
 * reads the whole file, because its messages may depend on the text before.
 */
export function parseFile(text: string): ParsedFile {
  const steps = parseInSteps(text);
  let step = steps.next();
  while (step.done !== true) step = steps.next();
  return step.value;
}

/** {@link parseFile} in steps of one document each, so that the caller can do other work between them. */
export function* parseInSteps(text: string): Generator<undefined, ParsedFile> {
  if (beyondDocuments.test(text)) return parseAny(text);
  const documents: ParsedDocument[] = [];
  for (const { start, end } of split(text)) {
    yield;
    documentStart.lastIndex = start;
    const marked = documentStart.exec(text)?.[0];
    const plain =
      marked === undefined && startsDocument(text, start) ? null : readPlain(text, start + (marked ?? "").length, end);
    if (plain === null) {
      // What follows decides whether blank lines at its end belong to a document.
      const { documents: found, problems } = parseAny(text.slice(start, end) + (end < text.length ? "---" : ""));
      if (problems.length > 0) return parseAny(text);
      for (const document of found) documents.push(moved(document, start));
    } else if (plain !== "empty" && plain.value !== null) {
      const { content, line, value } = plain;
      documents.push({ value, start: marked === undefined ? line : start, end, content });
    }
  }
  return { documents, problems: [] };
}

/** Splits a text before each line that begins a document with `---`. */
function* split(text: string): Generator<{ readonly start: number; readonly end: number }> {
  let start = 0;
  let from = 0;
  for (;;) {
    const found = text.indexOf("\n---", from);
    if (found === -1) break;
    from = found + 1;
    if (!startsDocument(text, from)) continue;
    yield { start, end: from };
    start = from;
  }
  yield { start, end: text.length };
}

/** Whether a document begins at the start of this line. */
function startsDocument(text: string, at: number): boolean {
  return text.startsWith("---", at) && /^[ \t\r\n]?$/.test(text.charAt(at + 3));
}

function moved({ content, end, start, value }: ParsedDocument, by: number): ParsedDocument {
  return { value, start: start + by, end: end + by, content: content + by };
}
