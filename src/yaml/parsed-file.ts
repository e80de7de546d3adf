import type { Json } from "../core/json.js";
import type { Code } from "../diagnostics/codes.js";

export interface SyntaxProblem {
  readonly code: Extract<Code, `yaml-${string}`>;
  /** In UTF-16 units from the start of the file. */
  readonly offset: number;
  readonly message: string;
  readonly remedy?: string;
  /** Its line ends the message. */
  readonly otherOffset?: number;
}

export interface ParsedDocument {
  readonly value: Json;
  /** Offsets of the document in the file, and of its first key or item. */
  readonly start: number;
  readonly end: number;
  readonly content: number;
}

export interface ParsedFile {
  readonly documents: readonly ParsedDocument[];
  readonly problems: readonly SyntaxProblem[];
}
