import type { SchemaCode } from "../diagnostics/codes.js";
import type { ImproveWords } from "../diagnostics/diagnostic.js";
import { type DocumentPath, pathOf, withValueAt } from "../core/document-path.js";
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
  readonly trial: SchemaTrial;
}

/** What a violation is called. A remedy that is left out is the code's own; null = none. */
export interface ViolationText {
  readonly code: SchemaCode;
  readonly message: string;
  readonly remedy?: string | null;
  readonly improve?: ImproveWords;
}

/** So many remedies are tried for one document, and none when it has more violations: each try checks all of it. */
const [mostTries, mostViolations] = [60, 200];

/** Checks changed documents, so that a remedy is known to be right before it is given. */
export class SchemaTrial {
  #left: number;

  constructor(
    private readonly validator: Validator,
    violations: number,
  ) {
    this.#left = violations > mostViolations ? 0 : mostTries;
  }

  /** The violations of a document; null when there were too many tries. */
  violationsOf(document: unknown): readonly SchemaViolation[] | null {
    if (this.#left === 0) return null;
    this.#left -= 1;
    return this.validator(document) ? [] : (this.validator.errors ?? []);
  }
}

/** Whether the schema takes another value in the place of the wrong one. False also when that was not tried. */
export function accepts({ document, path, trial }: ViolationContext, value: unknown): boolean {
  const changed = withValueAt(document, path, value);
  const violations = trial.violationsOf(changed);
  const here = JSON.stringify(path).slice(0, -1);
  return (
    violations?.some(({ instancePath }) => JSON.stringify(pathOf(instancePath, changed)).startsWith(here)) === false
  );
}

/** Whether the document lacks something without the member. True also when that was not tried. */
export function isRequired({ document, path, trial }: ViolationContext): boolean {
  const changed = withValueAt(document, path, undefined);
  const violations = trial.violationsOf(changed);
  if (violations === null) return true;
  const name = path.at(-1);
  const parent = JSON.stringify(path.slice(0, -1));
  return violations.some(
    ({ instancePath, params }) =>
      params["missingProperty"] === name && JSON.stringify(pathOf(instancePath, changed)) === parent,
  );
}
