import { schemaCodes } from "../diagnostics/codes.js";
import { pathOf } from "../diagnostics/document-path.js";
import { suggest } from "../diagnostics/suggest.js";
import { describeViolation } from "./describe-violation.js";
import type { MemberIndex } from "./members.js";
import type { SchemaError } from "./schema-error.js";
import { textOf } from "./text-of.js";
import type { Validator } from "./validator.js";

/** More errors than this in one document help nobody. */
export const mostErrors = 50;

/** Everything that a document says against its schema, at most {@link mostErrors} and a word that there are more. */
export function collectErrors(validator: Validator, document: unknown, members: MemberIndex): readonly SchemaError[] {
  if (validator(document)) return [];
  const errors: SchemaError[] = [];
  for (const violation of validator.errors ?? []) {
    const error = describeViolation(violation, pathOf(violation.instancePath, document), document, members);
    if (error !== null) errors.push(error);
    if (errors.length > mostErrors) break;
  }
  const distinct = withoutEchoes(errors);
  return distinct.length > mostErrors ? [...distinct.slice(0, mostErrors), tooMany] : distinct;
}

const tooMany: SchemaError = {
  path: [],
  at: "value",
  keyword: "",
  params: {},
  code: "too-many-errors",
  message: `the document has more than ${mostErrors} errors`,
  remedy: schemaCodes["too-many-errors"].remedy,
  sensitive: false,
};

/** Without missing members that are there but misspelt, and without a second word on the same value and code. */
function withoutEchoes(errors: readonly SchemaError[]): readonly SchemaError[] {
  const meant = new Set<string>();
  for (const error of errors) {
    if (error.code !== "unknown-member") continue;
    const parent = error.path.slice(0, -1);
    for (const other of errors) {
      if (other.keyword !== "required" || other.path.length !== parent.length) continue;
      const missing = textOf(other.params["missingProperty"]);
      if (suggest(String(error.path.at(-1)), [missing]) !== null) meant.add(JSON.stringify([...parent, missing]));
    }
  }
  const seen = new Set<string>();
  return errors.filter((error) => {
    if (error.keyword === "required" && meant.has(JSON.stringify([...error.path, error.params["missingProperty"]])))
      return false;
    const key = JSON.stringify([error.code, error.path, error.params["missingProperty"]]);
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}
