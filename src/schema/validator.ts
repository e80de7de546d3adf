import { type SchemaCode, schemaCodes } from "../diagnostics/codes.js";
import type { DocumentPath } from "../core/document-path.js";

/** One violation of a schema, in words. */
export interface SchemaError {
  /** To the offending value; for an unknown member, to that member; for a missing one, to the map that lacks it. */
  readonly path: DocumentPath;
  readonly at: "key" | "value";
  /** The schema keyword that was violated, and what it asks for; "" for a rule of our own. */
  readonly keyword: string;
  readonly wanted: unknown;
  readonly code: SchemaCode;
  /** Never holds a value that could be a secret. */
  readonly message: string;
  /** Null = the message says all. */
  readonly remedy: string | null;
  /** The place may hold a secret: its source line must not be shown. */
  readonly sensitive: boolean;
}

/** An error of a rule that no schema keyword states. */
export function schemaError(
  code: SchemaCode,
  message: string,
  { path = [], remedy = schemaCodes[code].remedy }: { readonly path?: DocumentPath; readonly remedy?: string } = {},
): SchemaError {
  return { path, at: "value", keyword: "", wanted: null, code, message, remedy, sensitive: false };
}
