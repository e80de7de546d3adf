import type { SchemaCode } from "../diagnostics/codes.js";
import type { DocumentPath } from "../document-path.js";

/** One violation, as the precompiled validators report it. Paths are JSON pointers. */
export interface SchemaViolation {
  readonly instancePath: string;
  readonly schemaPath: string;
  readonly keyword: string;
  readonly params: { readonly [name: string]: unknown };
  /** The member whose name, not value, was found wanting. */
  readonly propertyName?: string;
}

/** A precompiled validator. The violations of the last call stand in `errors`. */
export interface Validator {
  (data: unknown): boolean;
  errors?: readonly SchemaViolation[] | null;
}

/** One thing that a document says against its schema, in words. */
export interface SchemaError {
  /** To the offending value; for an unknown member, to the member itself; for a missing one, to what lacks it. */
  readonly path: DocumentPath;
  /** Whether the member's name is at fault (then it is to be pointed at) or its value. */
  readonly at: "key" | "value";
  /** The schema keyword that was violated. */
  readonly keyword: string;
  readonly params: { readonly [name: string]: unknown };
  readonly code: SchemaCode;
  /** What is wrong and why. Never holds a value that could be a secret. */
  readonly message: string;
  /** What to do about it. */
  readonly remedy: string;
  /** The place may hold a secret: its source line must not be shown. */
  readonly sensitive: boolean;
}
