import type { Code } from "../diagnostics/codes.js";
import type { Json } from "../json.js";

/** Something that is wrong with the text itself, before anybody asks what it means. */
export interface SyntaxProblem {
  readonly code: Code;
  /** Characters (UTF-16) from the start of the file. */
  readonly offset: number;
  readonly message: string;
  readonly remedy?: string;
}

/** One document that could be read: its value, and where to find it again. */
export interface ParsedDocument {
  readonly value: Json;
  /** Offsets of the document in the file, and of the first thing that it says. */
  readonly start: number;
  readonly end: number;
  readonly content: number;
}

/** What a YAML file holds; plain data, so that it can come from a worker thread. */
export interface ParsedFile {
  readonly documents: readonly ParsedDocument[];
  readonly problems: readonly SyntaxProblem[];
}
