import type { Code } from "./codes.js";
import type { DocumentPath } from "../schema/schema-error.js";

/** Where a document stands in its file (character offsets). */
export interface DocumentPlace {
  readonly start: number;
  readonly end: number;
  readonly content: number;
}

/** Where something is wrong. Lines and columns are found later, and only for what is shown. */
export type ProblemPlace =
  | {
      readonly file: string;
      readonly document: DocumentPlace;
      readonly path: DocumentPath;
      readonly at?: "key" | "value";
    }
  | { readonly file: string; readonly offset: number };

/** Something that is wrong, before it has a line and a column. Its severity is its code's. */
export interface Problem {
  readonly code: Code;
  /** Never holds a secret. */
  readonly message: string;
  /** Default: the code's own. */
  readonly remedy?: string;
  readonly place: ProblemPlace;
  readonly address?: string | null;
  /** The line may show a secret. */
  readonly sensitive?: boolean;
}
