import { parseAny } from "./parse-any.js";
import type { ParsedFile } from "./parsed-file.js";
import { readPlain } from "./plain-reader.js";

/**
 * Reads the documents of a YAML file. Leaves out documents with a problem, and empty ones. Bounded in time and memory.
 * Never throws.
 */
export function parseFile(text: string): ParsedFile {
  const documents = readPlain(text);
  return documents === null ? parseAny(text) : { documents, problems: [] };
}
