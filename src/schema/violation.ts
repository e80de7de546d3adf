import type { SchemaCode } from "../diagnostics/codes.js";
import type { ImproveWords } from "../diagnostics/diagnostic.js";
import type { DocumentPath } from "../core/document-path.js";
import type { MemberIndex } from "./members.js";
import type { SchemaViolation } from "./validator.js";

/** A violation, the value that it is about, and the document that holds both. */
export interface ViolationContext {
  readonly violation: SchemaViolation;
  readonly document: unknown;
  readonly path: DocumentPath;
  readonly value: unknown;
  /** The path in words. */
  readonly where: string;
  readonly members: MemberIndex;
}

/** What a violation is called. A remedy that is left out is the code's own; null = none. */
export interface ViolationText {
  readonly code: SchemaCode;
  readonly message: string;
  readonly remedy?: string | null;
  readonly improve?: ImproveWords;
}
