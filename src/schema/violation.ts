import type { SchemaCode } from "../diagnostics/codes.js";
import type { ImproveWords } from "../diagnostics/diagnostic.js";
import { type DocumentPath, pathOf, withValueAt } from "../document-path.js";
import type { MemberIndex } from "./members.js";
import type { SchemaViolation, Validator } from "./validator.js";

/** A violation, the value that it is about, and the document that holds both. */
export interface ViolationContext {
  readonly violation: SchemaViolation;
  readonly document: unknown;
  readonly path: DocumentPath;
  readonly value: unknown;
  /** The path in words. */
  readonly where: string;
  readonly members: MemberIndex;
  readonly validator: Validator;
}

/** What a violation is called. A remedy that is left out is the code's own; null = none. */
export interface ViolationText {
  readonly code: SchemaCode;
  readonly message: string;
  readonly remedy?: string | null;
  readonly improve?: ImproveWords;
}

/** Whether the schema takes another value in the place of the wrong one, so that a remedy is right before it is given. */
export function accepts({ document, path, validator }: Omit<ViolationContext, "violation">, value: unknown): boolean {
  const changed = withValueAt(document, path, value);
  if (validator(changed)) return true;
  const here = JSON.stringify(path).slice(0, -1);
  return !(validator.errors ?? []).some(({ instancePath }) =>
    JSON.stringify(pathOf(instancePath, changed)).startsWith(here),
  );
}

/** Whether the document lacks something without the member. */
export function isRequired({ document, path, validator }: ViolationContext): boolean {
  const changed = withValueAt(document, path, undefined);
  if (validator(changed)) return false;
  const name = path.at(-1);
  const parent = JSON.stringify(path.slice(0, -1));
  return (validator.errors ?? []).some(
    ({ instancePath, params }) =>
      params["missingProperty"] === name && JSON.stringify(pathOf(instancePath, changed)) === parent,
  );
}
