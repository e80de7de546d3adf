import { parseAny } from "./parse-any.js";
import type { ParsedDocument, ParsedFile } from "./parsed-file.js";
import { readPlain } from "./plain/document.js";

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
  if (beyondDocuments.test(text)) return parseAny(text);
  const documents: ParsedDocument[] = [];
  for (let start = 0, end = -1; end < text.length; start = end) {
    end = endOfDocument(text, start);
    documentStart.lastIndex = start;
    const isMarked = documentStart.test(text);
    const from = isMarked ? documentStart.lastIndex : start;
    const plain = !isMarked && startsDocument(text, start) ? null : readPlain(text, from, end);
    if (plain === null) {
      // What follows decides whether blank lines at its end belong to a document.
      const { documents: found, problems } = parseAny(text.slice(start, end) + (end < text.length ? "---" : ""));
      if (problems.length > 0) return parseAny(text);
      for (const document of found) documents.push(moved(document, start));
    } else if (plain !== "empty" && plain.value !== null) {
      const { content, line, value } = plain;
      documents.push({ value, start: isMarked ? start : line, end, content });
    }
  }
  return { documents, problems: [] };
}

/** The start of the next line that begins a document with `---`, or the end of the text. */
function endOfDocument(text: string, start: number): number {
  for (let found = text.indexOf("\n---", start); found !== -1; found = text.indexOf("\n---", found + 1))
    if (startsDocument(text, found + 1)) return found + 1;
  return text.length;
}

/** Whether a document begins at the start of this line: nothing or a blank follows its dashes. */
function startsDocument(text: string, at: number): boolean {
  if (!text.startsWith("---", at)) return false;
  const next = text.charCodeAt(at + 3);
  return next === 10 || next === 32 || next === 13 || next === 9 || Number.isNaN(next);
}

function moved({ content, end, start, value }: ParsedDocument, by: number): ParsedDocument {
  return { value, start: start + by, end: end + by, content: content + by };
}
