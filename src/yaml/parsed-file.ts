import type { Json } from "../core/json.js";

/** The codes of problems of YAML text; docs/diagnostics.md explains each. */
export type YamlCode = `yaml-${
  | "syntax"
  | "duplicate-key"
  | "merge-key"
  | "alias"
  | "tag"
  | "key"
  | "number"
  | "text"
  | "depth"
  | "size"
  | "directive"}`;

/** A problem of the text itself, whatever the documents mean. */
export interface SyntaxProblem {
  readonly code: YamlCode;
  /** Characters (UTF-16) from the start of the file. */
  readonly offset: number;
  readonly message: string;
  readonly remedy?: string;
  /** Where the other of two is: its line ends the message. */
  readonly otherOffset?: number;
}

/** One document that could be read: its value, and where it is in the file. */
export interface ParsedDocument {
  readonly value: Json;
  /** Offsets of the document in the file, and of its first key or item. */
  readonly start: number;
  readonly end: number;
  readonly content: number;
}

/** The documents and problems of a YAML file, as plain data. */
export interface ParsedFile {
  readonly documents: readonly ParsedDocument[];
  readonly problems: readonly SyntaxProblem[];
}
