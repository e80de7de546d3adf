import { schemaCodes } from "../diagnostics/codes.js";
import { didYouMean, suggest } from "../diagnostics/suggest.js";
import { type DocumentPath, isSensitive, pathOf, showPath, valueAt } from "../core/document-path.js";
import { addressExample, kindNames } from "../kinds/names.js";
import { formOf, textOf } from "./hints.js";
import { type MemberIndex, membersAt } from "./members.js";
import { wrongType } from "./type-errors.js";
import { describeUnknown } from "./unknown-members.js";
import { type SchemaError, type SchemaViolation, type Validator, schemaError } from "./validator.js";
import { wellFormed } from "./value-shapes.js";
import type { ViolationContext, ViolationText } from "./violation.js";

/** At most this many errors of one document are reported. */
export const mostErrors = 50;

/** The errors of a document by its schema: at most {@link mostErrors}, and a note when there are more. */
export function collectErrors(validator: Validator, document: unknown, members: MemberIndex): readonly SchemaError[] {
  if (validator(document)) return [];
  const errors: SchemaError[] = [];
  const violations = validator.errors ?? [];
  for (const violation of violations) {
    const error = describeViolation(violation, { document, members });
    if (error !== null) errors.push(error);
    if (errors.length > mostErrors) break;
  }
  const distinct = withoutEchoes(errors);
  return distinct.length > mostErrors ? [...distinct.slice(0, mostErrors), tooMany] : distinct;
}

const tooMany = schemaError("too-many-errors", `the document has more than ${mostErrors} errors`);

/** Without what another error explains, such as a member that is missing because it is misspelt, and without repetition. */
function withoutEchoes(errors: readonly SchemaError[]): readonly SchemaError[] {
  const explained = new Set(errors.flatMap(({ explains = [] }) => explains.map((path) => JSON.stringify(path))));
  const fixed = new Set(
    errors.flatMap(({ keyword, path }) => (keyword === "const" || keyword === "enum" ? [JSON.stringify(path)] : [])),
  );
  const seen = new Set<string>();
  return errors.filter((error) => {
    const { code, keyword, params, path } = error;
    const missing = params["missingProperty"];
    if (keyword === "required" && explained.has(JSON.stringify([...path, missing]))) return false;
    if (keyword === "type" && error.isEmpty === true && explained.has(JSON.stringify(path))) return false;
    // It must be one of a few texts: that says that it must be text.
    if (keyword === "type" && fixed.has(JSON.stringify(path))) return false;
    const key = JSON.stringify([code, path, missing]);
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

/** A violation in words, or null for one that only repeats others. */
function describeViolation(
  violation: SchemaViolation,
  of: Pick<ViolationContext, "document" | "members">,
): SchemaError | null {
  const { keyword, params } = violation;
  const { document, members } = of;
  const path = pathOf(violation.instancePath, document);
  const unknown = params["additionalProperty"];
  if (typeof unknown === "string")
    return { keyword, params, ...describeUnknown([...path, unknown], document, members) };
  if (violation.propertyName !== undefined) return describeName(violation, [...path, violation.propertyName]);
  const where = path.length === 0 ? "the document" : showPath(path);
  const value = valueAt(document, path);
  const description = describe({ ...of, violation, path, value, where });
  if (description === null) return null;
  const { code, improve, message, remedy = schemaCodes[code].remedy } = description;
  const at = code === "reserved-member" ? "key" : "value";
  const sensitive = isSensitive(path);
  const error = { path, at, keyword, params, code, message, remedy, sensitive } as const;
  return { ...error, ...(improve === undefined ? {} : { improve }), ...(value === null ? { isEmpty: true } : {}) };
}

/** The same for a member's name that does not have the required form. */
function describeName({ keyword, params }: SchemaViolation, path: DocumentPath): SchemaError | null {
  if (keyword !== "pattern") return null;
  const pattern = textOf(params["pattern"]);
  const message = `the name ${showPath(path.slice(-1))} must be ${formOf(pattern)}`;
  const remedy = nameMeant(String(path.at(-1)), pattern);
  return { path, at: "key", keyword, params, code: "bad-format", message, remedy, sensitive: isSensitive(path) };
}

/** For a name that has to be an address. */
function nameMeant(name: string, pattern: string): string | null {
  const [kind = "", rest] = name.split("/");
  const near = rest === undefined ? null : suggest(kind, kindNames);
  return isAddressForm(pattern) && near !== null && isName(rest) ? `Write ${near}/${rest}.` : withKind(name, pattern);
}

function isAddressForm(pattern: string): boolean {
  return formOf(pattern).startsWith("an address");
}

function isName(text: string | undefined): boolean {
  return text !== undefined && /^[\w.-]+$/u.test(text);
}

/** For a bare name where an address is wanted. */
function withKind(name: string, pattern: string): string | null {
  const [kind] = addressExample.split("/");
  return isAddressForm(pattern) && isName(name) ? `Put the kind before it, as in ${kind}/${name}.` : null;
}

function describe(context: ViolationContext): ViolationText | null {
  const { path, value, where } = context;
  const { keyword, params } = context.violation;
  const limit = textOf(params["limit"]);
  const actual = actualValue(value, path);
  switch (keyword) {
    case "required":
      return missingMember(context);
    case "type":
      return wrongType(context);
    case "enum":
      return notAllowed(context);
    case "const": {
      const code = path.at(-1) === "apiVersion" ? "unknown-api-version" : "not-allowed-value";
      return { code, message: `${where} must be ${textOf(params["allowedValue"])}${actual}` };
    }
    case "pattern":
      return badFormat(context);
    case "maxBytes":
      return tooLong(context);
    case "maxLength":
      return { code: "too-long", message: `${where} is longer than ${limit} characters`, remedy: null };
    case "maxItems":
      return { code: "too-long", message: `${where} has more than ${limit} items`, remedy: null };
    case "minLength":
    case "minItems":
      return { code: "empty-value", message: `${where} must not be empty`, remedy: remedyForEmpty(path) };
    case "minimum":
      return { code: "out-of-range", message: `${where} must be at least ${limit}${actual}`, remedy: null };
    case "exclusiveMinimum":
      return { code: "out-of-range", message: `${where} must be more than ${limit}${actual}`, remedy: null };
    case "maximum":
      return { code: "out-of-range", message: `${where} must be at most ${limit}${actual}`, remedy: null };
    case "minProperties":
    case "maxProperties":
      return chooseOne(context);
    case "uniqueItems": {
      const message = `${where} has the same item at ${textOf(params["j"])} and ${textOf(params["i"])}`;
      return { code: "duplicate-item", message };
    }
    case "false schema":
      return { code: "reserved-member", message: `${where} is reserved for the ownership marker` };
    case "if":
    case "propertyNames":
      return null;
    default:
      return { code: "bad-format", message: `${where} breaks the schema's rule '${keyword}'`, remedy: null };
  }
}

function remedyForEmpty(path: DocumentPath): string {
  return typeof path.at(-1) === "number"
    ? "Write its text, or remove the item."
    : "Give it a value, or leave it out if it is optional.";
}

function missingMember({ document, path, violation }: ViolationContext): ViolationText {
  const missing = [...path, textOf(violation.params["missingProperty"])];
  const message = `${showPath(missing)} is missing`;
  if (missing.length === 1 && missing[0] === "apiVersion")
    return { code: "missing-member", message, remedy: "Add the line apiVersion: edgewise/v1." };
  const kind = valueAt(document, ["kind"]);
  const field = [kind, ...missing.filter((step) => typeof step === "string")].join(".");
  const isExplained = typeof kind === "string" && /^[A-Za-z]+$/.test(kind);
  return {
    code: "missing-member",
    message,
    remedy: isExplained ? `Add it; \`edgewise explain ${field}\` shows what it accepts.` : "Add it.",
  };
}

function notAllowed({ path, value, violation, where }: ViolationContext): ViolationText {
  const { allowedValues } = violation.params;
  const allowed = Array.isArray(allowedValues) ? allowedValues.filter((one) => one !== null).map(String) : [];
  const choices = `${allowed.length === 1 ? "" : "one of "}${allowed.join(", ")}`;
  const message = `${where} must be ${choices}${actualValue(value, path)}`;
  return { code: "not-allowed-value", message, remedy: typeof value === "string" ? didYouMean(value, allowed) : null };
}

/** A text without the required form, and the one that was most likely meant. */
function badFormat({ path, value, violation, where }: ViolationContext): ViolationText {
  const pattern = textOf(violation.params["pattern"]);
  const form = formOf(pattern);
  const message = `${where} must be ${form}${actualValue(value, path)}`;
  if (typeof value !== "string") return { code: "bad-format", message, remedy: null };
  if (isSensitive(path)) {
    const name = path.at(-1) === "env" ? "Write the name of the variable, not its value." : null;
    const remedy = value.startsWith("$") ? "Write the name alone, without $." : name;
    return { code: "bad-format", message, remedy };
  }
  if (value === "") return { code: "bad-format", message, remedy: remedyForEmpty(path) };
  // The schema's own pattern, which the validator has tried on the value already.
  const meant = wellFormed(value, form.startsWith("a name:")).find((candidate) => candidate.search(pattern) !== -1);
  if (meant === undefined) return { code: "bad-format", message, remedy: withKind(value, pattern) };
  const shown = /^[A-Za-z][\w./-]*$/u.test(meant) ? meant : JSON.stringify(meant);
  return { code: "bad-format", message, remedy: `Write ${shown}.` };
}

function tooLong({ value, violation, where }: ViolationContext): ViolationText {
  const limit = Number(violation.params["limit"]);
  const size = typeof value === "string" ? Buffer.byteLength(value, "utf8") : 0;
  const message = `${where} has ${size} bytes of UTF-8; the service takes ${limit}`;
  return {
    code: "too-long",
    message,
    remedy: `Shorten it by ${size - limit === 1 ? "a byte" : `${size - limit} bytes`} or more.`,
  };
}

function chooseOne({ members, path, value, where }: ViolationContext): ViolationText {
  const choices = membersAt(members, path);
  const present = choices.filter((name) => valueAt(value, [name]) !== undefined);
  const remedy =
    present.length > 1
      ? `Remove ${present.join(" or ")}.`
      : `Write ${choices.map((name) => `{${name}: …}`).join(" or ")}.`;
  return { code: "choose-one", message: `${where} must have exactly one of ${choices.join(", ")}`, remedy };
}

/** The offending value, when it is short and can't be a secret. */
function actualValue(value: unknown, path: DocumentPath): string {
  if (isSensitive(path)) return "";
  if (typeof value === "string" && value.length <= 80) return `, not ${JSON.stringify(value)}`;
  if (typeof value === "number" || typeof value === "boolean" || value === null) return `, not ${String(value)}`;
  return "";
}
