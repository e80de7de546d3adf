import { type SchemaCode, schemaCodes } from "../diagnostics/codes.js";
import type { ImproveWords } from "../diagnostics/diagnostic.js";
import type { DocumentPath } from "../core/document-path.js";

/** One violation as the generated validators report it. Paths are JSON pointers. */
export interface SchemaViolation {
  readonly instancePath: string;
  readonly schemaPath: string;
  readonly keyword: string;
  readonly params: { readonly [name: string]: unknown };
  /** The member whose name, not value, breaks the schema. */
  readonly propertyName?: string;
}

/** A generated validator. `errors` holds the violations of the last call. */
export interface Validator {
  (data: unknown): boolean;
  errors?: readonly SchemaViolation[] | null;
}

/** One violation of a schema, in words. */
export interface SchemaError {
  /** To the offending value; for an unknown member, to that member; for a missing one, to the map that lacks it. */
  readonly path: DocumentPath;
  /** Whether to point at the member's name or at its value. */
  readonly at: "key" | "value";
  /** The schema keyword that was violated; "" for a rule of our own. */
  readonly keyword: string;
  readonly params: { readonly [name: string]: unknown };
  readonly code: SchemaCode;
  /** What is wrong and why. Never holds a value that could be a secret. */
  readonly message: string;
  /** What to do about it. Null = the message says all. */
  readonly remedy: string | null;
  /** The place may hold a secret: its source line must not be shown. */
  readonly sensitive: boolean;
  /** Better words, from the way the value is written. */
  readonly improve?: ImproveWords;
  /** The value is null: its members may just not be indented. */
  readonly isEmpty?: boolean;
  /** What is missing or empty only because of this error, such as the right name of a misspelt member. */
  readonly explains?: readonly DocumentPath[];
}

/** An error of a rule that no schema keyword states. */
export function schemaError(
  code: SchemaCode,
  message: string,
  {
    at = "value",
    path = [],
    remedy = schemaCodes[code].remedy,
  }: { readonly path?: DocumentPath; readonly remedy?: string | null; readonly at?: "key" | "value" } = {},
): SchemaError {
  return { path, at, keyword: "", params: {}, code, message, remedy, sensitive: false };
}
