import { parseAny } from "./parse-any.js";
import type { ParsedDocument, ParsedFile } from "./parsed-file.js";
import { readPlain } from "./plain-document.js";

/** Directives and ends of documents: what they mean reaches beyond one document. */
const beyondDocuments = /^(?:%|\.\.\.|\ufeff)/m;

/** The line that begins a document, and says nothing else. */
const documentStart = /---(?: *| +#.*)(?:\n|$)/y;

/**
 * Reads the documents of a YAML file. Documents with a problem are left out, empty ones too.
 * Pure: text in, plain data out; bounded in time and memory. Never throws.
 *
 * Plain documents are read by {@link readPlain}, others by the YAML library, and all of them by the library as soon
 * as anything is wrong with one: its words about broken text may depend on what stands before it.
 */
export function parseFile(text: string): ParsedFile {
  const steps = parseInSteps(text);
  let step = steps.next();
  while (step.done !== true) step = steps.next();
  return step.value;
}

/** How many documents are read in one step, less than a millisecond of work. */
const documentsInStep = 25;

/** {@link parseFile}, with pauses in which the caller may let others have their turn. */
export function* parseInSteps(text: string): Generator<undefined, ParsedFile> {
  if (beyondDocuments.test(text)) return parseAny(text);
  const documents: ParsedDocument[] = [];
  let count = 0;
  for (const { start, end } of split(text)) {
    if (++count % documentsInStep === 0) yield;
    documentStart.lastIndex = start;
    const marked = documentStart.exec(text)?.[0];
    const plain =
      marked === undefined && startsDocument(text, start) ? null : readPlain(text, start + (marked ?? "").length, end);
    if (plain === null) {
      const { documents: found, problems } = parseAny(text.slice(start, end));
      if (problems.length > 0) return parseAny(text);
      for (const document of found) documents.push(moved(document, start));
    } else if (plain !== "empty" && plain.value !== null) {
      const { content, line, value } = plain;
      documents.push({ value, start: marked === undefined ? line : start, end, content });
    }
  }
  return { documents, problems: [] };
}

/** Where a text can be taken apart: before each line that begins with `---`. */
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
  return text.startsWith("---", at) && /^[\s]?$/.test(text.charAt(at + 3));
}

function moved({ content, end, start, value }: ParsedDocument, by: number): ParsedDocument {
  return { value, start: start + by, end: end + by, content: content + by };
}
