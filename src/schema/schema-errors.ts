import { type SchemaCode, schemaCodes } from "../diagnostics/codes.js";
import { didYouMean, suggest } from "../diagnostics/suggest.js";
import { type DocumentPath, isSensitive, pathOf, showPath, valueAt } from "../document-path.js";
import { formOf, hintFor, isReadOnly, textOf } from "./hints.js";
import { type MemberIndex, membersAt } from "./members.js";
import { oneOfType } from "./schema-part.js";
import { type SchemaError, type SchemaViolation, type Validator, schemaError } from "./validator.js";

/** At most this many errors of one document are reported. */
export const mostErrors = 50;

/** The errors of a document by its schema: at most {@link mostErrors}, and a note when there are more. */
export function collectErrors(validator: Validator, document: unknown, members: MemberIndex): readonly SchemaError[] {
  if (validator(document)) return [];
  const errors: SchemaError[] = [];
  for (const violation of validator.errors ?? []) {
    const error = describeViolation(violation, document, members);
    if (error !== null) errors.push(error);
    if (errors.length > mostErrors) break;
  }
  const distinct = withoutEchoes(errors);
  return distinct.length > mostErrors ? [...distinct.slice(0, mostErrors), tooMany] : distinct;
}

const tooMany = schemaError("too-many-errors", `the document has more than ${mostErrors} errors`);

/** Without "missing" errors for members that are only misspelt, and with one error for each value and code. */
function withoutEchoes(errors: readonly SchemaError[]): readonly SchemaError[] {
  const misspelt = new Set<string>();
  for (const error of errors) {
    if (error.code !== "unknown-member") continue;
    const parent = error.path.slice(0, -1);
    for (const other of errors) {
      if (other.keyword !== "required" || other.path.length !== parent.length) continue;
      const missing = textOf(other.params["missingProperty"]);
      if (suggest(String(error.path.at(-1)), [missing]) !== null) misspelt.add(JSON.stringify([...parent, missing]));
    }
  }
  const seen = new Set<string>();
  return errors.filter((error) => {
    if (error.keyword === "required" && misspelt.has(JSON.stringify([...error.path, error.params["missingProperty"]])))
      return false;
    const key = JSON.stringify([error.code, error.path, error.params["missingProperty"]]);
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

/** A violation and the value that it is about. */
interface ViolationContext {
  readonly violation: SchemaViolation;
  readonly document: unknown;
  readonly path: DocumentPath;
  readonly value: unknown;
  /** The path in words. */
  readonly where: string;
  readonly members: MemberIndex;
}

interface ViolationText {
  readonly code: SchemaCode;
  readonly message: string;
  readonly remedy?: string;
}

/** A violation in words, or null for one that only repeats others. */
function describeViolation(violation: SchemaViolation, document: unknown, members: MemberIndex): SchemaError | null {
  const { keyword, params } = violation;
  const path = pathOf(violation.instancePath, document);
  const unknown = params["additionalProperty"];
  if (typeof unknown === "string") return { keyword, params, ...describeUnknown([...path, unknown], members) };
  if (violation.propertyName !== undefined) return describeName(violation, [...path, violation.propertyName]);
  const where = path.length === 0 ? "the document" : showPath(path);
  const description = describe({ violation, document, path, value: valueAt(document, path), where, members });
  if (description === null) return null;
  const { code, message, remedy = schemaCodes[code].remedy } = description;
  const at = code === "reserved-member" ? "key" : "value";
  return { path, at, keyword, params, code, message, remedy, sensitive: isSensitive(path) };
}

/** The same for a member's name that does not have the required form. */
function describeName({ keyword, params }: SchemaViolation, path: DocumentPath): SchemaError | null {
  if (keyword !== "pattern") return null;
  const message = `the name ${showPath(path.slice(-1))} must be ${formOf(textOf(params["pattern"]))}`;
  const { remedy } = schemaCodes["bad-format"];
  return { path, at: "key", keyword, params, code: "bad-format", message, remedy, sensitive: isSensitive(path) };
}

function describe(context: ViolationContext): ViolationText | null {
  const { members, path, value, where } = context;
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
      return { code: "bad-format", message: `${where} must be ${formOf(textOf(params["pattern"]))}${actual}` };
    case "maxBytes": {
      const size = typeof value === "string" ? Buffer.byteLength(value, "utf8") : 0;
      return { code: "too-long", message: `${where} has ${size} bytes of UTF-8; the service takes ${limit}` };
    }
    case "maxLength":
      return { code: "too-long", message: `${where} is longer than ${limit} characters` };
    case "maxItems":
      return { code: "too-long", message: `${where} has more than ${limit} items` };
    case "minLength":
    case "minItems":
      return { code: "empty-value", message: `${where} must not be empty` };
    case "minimum":
      return { code: "out-of-range", message: `${where} must be at least ${limit}${actual}` };
    case "exclusiveMinimum":
      return { code: "out-of-range", message: `${where} must be more than ${limit}${actual}` };
    case "maximum":
      return { code: "out-of-range", message: `${where} must be at most ${limit}${actual}` };
    case "minProperties":
    case "maxProperties": {
      const choices = membersAt(members, path).join(", ");
      return { code: "choose-one", message: `${where} must have exactly one of ${choices}` };
    }
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
      return { code: "bad-format", message: `${where} breaks the schema's rule '${keyword}'` };
  }
}

function missingMember({ document, path, violation }: ViolationContext): ViolationText {
  const missing = [...path, textOf(violation.params["missingProperty"])];
  const kind = valueAt(document, ["kind"]);
  const field = [kind, ...missing.filter((step) => typeof step === "string")].join(".");
  const isExplained = typeof kind === "string" && /^[A-Za-z]+$/.test(kind);
  return {
    code: "missing-member",
    message: `${showPath(missing)} is missing`,
    remedy: isExplained ? `Add it; \`edgewise explain ${field}\` shows what it accepts.` : "Add it.",
  };
}

function wrongType(context: ViolationContext): ViolationText {
  const { value, where, violation } = context;
  const wanted = [violation.params["type"]].flat().map(String);
  const is = typeOf(value);
  const named = wanted.filter((type) => type !== "null" || wanted.length === 1).map(oneOfType);
  const not = is === "number" && wanted.includes("integer") ? "not a fraction" : `not ${oneOfType(is)}`;
  const message = `${where} must be ${named.join(" or ")}, ${not}`;
  return { code: "wrong-type", message, remedy: typeRemedy(wanted, is, context) };
}

function typeOf(value: unknown): string {
  if (value === null || value === undefined) return "null";
  if (Array.isArray(value)) return "array";
  return typeof value;
}

function typeRemedy(wanted: readonly string[], is: string, { path, value }: ViolationContext): string {
  if (path.at(-1) === "endpoint_configuration" && is === "null")
    return "Leave it out to keep the live value; the service documents no way to clear an endpoint configuration.";
  if (path.at(-2) === "api" && is === "number") return `Add the unit: ${textOf(value)}s.`;
  if (wanted.includes("string") && (is === "number" || is === "boolean"))
    return isSensitive(path) ? "Put it in quotes." : `Put it in quotes: "${String(value)}".`;
  if (is === "null") return "Fill it in, or remove the member.";
  if (wanted.includes("array")) return "Write a list: [first, second], or one '- ' line for each.";
  if (is === "string" && (wanted.includes("boolean") || wanted.includes("integer") || wanted.includes("number")))
    return "Write it without quotes.";
  if (wanted.includes("object")) return "Write a map: indented 'member: value' lines, or {member: value}.";
  return schemaCodes["wrong-type"].remedy;
}

function notAllowed({ path, value, violation, where }: ViolationContext): ViolationText {
  const { allowedValues } = violation.params;
  const allowed = Array.isArray(allowedValues) ? allowedValues.filter((one) => one !== null).map(String) : [];
  const choices = `${allowed.length === 1 ? "" : "one of "}${allowed.join(", ")}`;
  const message = `${where} must be ${choices}${actualValue(value, path)}`;
  const remedy = typeof value === "string" ? didYouMean(value, allowed) : null;
  return { code: "not-allowed-value", message, ...(remedy === null ? {} : { remedy }) };
}

/** The offending value, when it is short and can't be a secret. */
function actualValue(value: unknown, path: DocumentPath): string {
  if (isSensitive(path)) return "";
  if (typeof value === "string" && value.length <= 80) return `, not ${JSON.stringify(value)}`;
  if (typeof value === "number" || typeof value === "boolean" || value === null) return `, not ${String(value)}`;
  return "";
}

/** A member that the schema does not have: misspelt, misplaced, set by the service, or just unknown. */
function describeUnknown(
  path: DocumentPath,
  members: MemberIndex,
): Pick<SchemaError, "path" | "at" | "code" | "message" | "remedy" | "sensitive"> {
  const near = suggest(String(path.at(-1)), membersAt(members, path.slice(0, -1)));
  const code: SchemaCode = near === null && isReadOnly(path) ? "read-only-member" : "unknown-member";
  const where = showPath(path);
  // The suggestion is part of the message too: readers of the JSON format may show nothing else.
  const guess = near === null ? "" : `: did you mean ${near}?`;
  const message =
    code === "read-only-member"
      ? `${where} is set by the service and can't be configured`
      : `${where} is not known${guess}`;
  const remedy = near === null ? remedyForUnknown(path, members) : `Rename it to ${near}.`;
  const sensitive = isSensitive(path);
  return { path, at: "key", code, message, remedy: remedy ?? schemaCodes[code].remedy, sensitive };
}

/** Advice for an unknown member that is close to none of the known ones. */
function remedyForUnknown(path: DocumentPath, members: MemberIndex): string | null {
  const hint = hintFor(path);
  if (hint !== null) return hint;
  if (isReadOnly(path)) return null;
  const name = String(path.at(-1));
  const elsewhere = Object.keys(members).find((place) => !place.includes("*") && members[place]?.includes(name));
  if (elsewhere !== undefined)
    return elsewhere === "" ? "It belongs to the top of the document." : `It belongs to ${elsewhere}.`;
  const parent = path.slice(0, -1);
  const known = membersAt(members, parent);
  if (known.length === 0) return null;
  return `Remove it. ${parent.length === 0 ? "A document" : showPath(parent)} accepts ${known.join(", ")}.`;
}
