import type { DocumentPath } from "../core/document-path.js";
import type { ParsedDocument, SyntaxProblem } from "../yaml/parsed-file.js";
import type { Code } from "./codes.js";

/** One problem in manifests or configuration. */
export interface Diagnostic {
  readonly severity: "error" | "warning";
  /** Stable, listed in docs/diagnostics.md. */
  readonly code: string;
  readonly message: string;
  readonly remedy: string | null;
  /** Relative to the root. */
  readonly file: string;
  readonly line: number;
  readonly column: number;
  /** `TLSEdge/api`, when the resource is known. */
  readonly address: string | null;
  /** Absent when it may show a secret. */
  readonly excerpt?: string;
}

/** As character offsets. */
export type DocumentPlace = Pick<ParsedDocument, "start" | "end" | "content">;

/** Lines and columns are computed only for problems that are shown. */
export type ProblemPlace =
  | {
      readonly file: string;
      readonly document: DocumentPlace;
      readonly path: DocumentPath;
      readonly at?: "key" | "value";
    }
  | { readonly file: string; readonly offset: number };

export interface Problem {
  readonly code: Code;
  /** Never contains a secret. */
  readonly message: string;
  /** Default: the code's own. Null = the message says all. */
  readonly remedy?: string | null;
  readonly place: ProblemPlace;
  readonly address?: string | null;
  /** The line may show a secret. */
  readonly sensitive?: boolean;
  /** Its file and line end the message. */
  readonly other?: ProblemPlace;
}

export function atOffset({ offset, otherOffset, ...problem }: SyntaxProblem, file: string): Problem {
  const other = otherOffset === undefined ? {} : { other: { file, offset: otherOffset } };
  return { ...problem, ...other, place: { file, offset } };
}

export function placeInDocument(
  file: string,
  { content, end, start }: DocumentPlace,
  path: DocumentPath,
  at?: "key" | "value",
): ProblemPlace {
  return { file, document: { start, end, content }, path, ...(at === undefined ? {} : { at }) };
}
