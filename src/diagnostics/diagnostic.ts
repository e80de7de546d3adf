import type { DocumentPath } from "../core/document-path.js";
import type { ParsedDocument, SyntaxProblem } from "../yaml/parsed-file.js";
import type { Code } from "./codes.js";

/** One problem in manifests or configuration. */
export type Diagnostic = Readonly<{
  severity: "error" | "warning";
  /** Stable, listed in docs/diagnostics.md. */
  code: string;
  message: string;
  remedy: string | null;
  /** Relative to the root. */
  file: string;
  line: number;
  column: number;
  /** `TLSEdge/api`, when the resource is known. */
  address: string | null;
  /** Absent when it may show a secret. */
  excerpt?: string;
}>;

export type DocumentPlace = Pick<ParsedDocument, "start" | "end" | "content">;

/** Lines and columns are computed only for problems that are shown. */
export type ProblemPlace =
  | Readonly<{
      file: string;
      document: DocumentPlace;
      path: DocumentPath;
      at?: "key" | "value";
    }>
  | Readonly<{ file: string; offset: number }>;

export type Problem = Readonly<{
  code: Code;
  /** Never contains a secret. */
  message: string;
  /** Default: the code's own. Null = the message says all. */
  remedy?: string | null | undefined;
  place: ProblemPlace;
  address?: string | null;
  sensitive?: boolean;
  /** Its file and line end the message. */
  other?: ProblemPlace;
}>;

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
