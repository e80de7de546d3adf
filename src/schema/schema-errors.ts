import { type SchemaCode, schemaCodes } from "../diagnostics/codes.js";
import { suggest } from "../diagnostics/suggest.js";
import { type DocumentPath, isSensitive, pathOf, showPath, valueAt } from "../document-path.js";
import { formOf, hintFor, isReadOnly, textOf } from "./hints.js";
import { type MemberIndex, membersAt } from "./members.js";
import type { SchemaError, SchemaViolation, Validator } from "./validator.js";

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

interface ViolationText {
  readonly code: SchemaCode;
  readonly message: string;
  readonly remedy?: string;
}

/**
 * A violation in words, or null for one that only repeats others.
 * @param path to the value that was found wanting, from the violation's pointer
 */
function describeViolation(
  violation: SchemaViolation,
  path: DocumentPath,
  document: unknown,
  members: MemberIndex,
): SchemaError | null {
  const { keyword, params } = violation;
  const unknown = params["additionalProperty"];
  if (typeof unknown === "string") return { keyword, params, ...describeUnknown([...path, unknown], members) };
  if (violation.propertyName !== undefined) return describeName(violation, [...path, violation.propertyName]);
  const description = describe(violation, path, document, members);
  if (description === null) return null;
  return {
    path,
    at: description.code === "reserved-member" ? "key" : "value",
    keyword,
    params,
    code: description.code,
    message: description.message,
    remedy: description.remedy ?? schemaCodes[description.code].remedy,
    sensitive: isSensitive(path),
  };
}

/** The same for a member's name that lacks the form that names have here. */
function describeName({ keyword, params }: SchemaViolation, path: DocumentPath): SchemaError | null {
  if (keyword !== "pattern") return null;
  const message = `the name ${showPath(path.slice(-1))} must be ${formOf(textOf(params["pattern"]))}`;
  const { remedy } = schemaCodes["bad-format"];
  return { path, at: "key", keyword, params, code: "bad-format", message, remedy, sensitive: isSensitive(path) };
}

function describe(
  violation: SchemaViolation,
  path: DocumentPath,
  document: unknown,
  members: MemberIndex,
): ViolationText | null {
  const { keyword, params } = violation;
  const value = valueAt(document, path);
  const where = path.length === 0 ? "the document" : showPath(path);
  const limit = textOf(params["limit"]);
  switch (keyword) {
    case "required":
      return {
        code: "missing-member",
        message: `${showPath([...path, textOf(params["missingProperty"])])} is missing`,
        remedy: missingMemberRemedy(document, [...path, textOf(params["missingProperty"])]),
      };
    case "type":
      return wrongType(where, [params["type"]].flat().map(String), value, path);
    case "enum":
      return notAllowed(where, Array.isArray(params["allowedValues"]) ? params["allowedValues"] : [], value, path);
    case "const": {
      const code = path.at(-1) === "apiVersion" ? "unknown-api-version" : "not-allowed-value";
      return { code, message: `${where} must be ${textOf(params["allowedValue"])}${actualValue(value, path)}` };
    }
    case "pattern":
      return {
        code: "bad-format",
        message: `${where} must be ${formOf(textOf(params["pattern"]))}${actualValue(value, path)}`,
      };
    case "maxBytes": {
      const size = typeof value === "string" ? Buffer.byteLength(value, "utf8") : 0;
      return { code: "too-long", message: `${where} is ${size} bytes of UTF-8 long, the service takes ${limit}` };
    }
    case "maxLength":
      return { code: "too-long", message: `${where} is longer than ${limit} characters` };
    case "minLength":
    case "minItems":
      return { code: "empty-value", message: `${where} must not be empty` };
    case "minimum":
      return { code: "out-of-range", message: `${where} must be at least ${limit}${actualValue(value, path)}` };
    case "exclusiveMinimum":
      return { code: "out-of-range", message: `${where} must be more than ${limit}${actualValue(value, path)}` };
    case "maximum":
      return { code: "out-of-range", message: `${where} must be at most ${limit}${actualValue(value, path)}` };
    case "minProperties":
    case "maxProperties":
      return {
        code: "choose-one",
        message: `${where} must hold exactly one of ${membersAt(members, path).join(", ")}`,
      };
    case "uniqueItems":
      return {
        code: "duplicate-item",
        message: `${where} names the same thing at ${textOf(params["j"])} and ${textOf(params["i"])}`,
      };
    case "false schema":
      return { code: "reserved-member", message: `${where} is reserved for the ownership marker` };
    case "if":
    case "propertyNames":
      return null;
    default:
      return { code: "bad-format", message: `${where} breaks the schema's rule '${keyword}'` };
  }
}

/** Where to read on about a member that is to be added. */
function missingMemberRemedy(document: unknown, path: DocumentPath): string {
  const field = [valueAt(document, ["kind"]), ...path.filter((step) => typeof step === "string")].join(".");
  return `Add it; \`edgewise explain ${field}\` tells what it takes.`;
}

const valueTypeNames: { readonly [type: string]: string } = {
  string: "text",
  number: "a number",
  integer: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "a map",
  null: "null",
};

function typeOf(value: unknown): string {
  if (value === null || value === undefined) return "null";
  if (Array.isArray(value)) return "array";
  return typeof value;
}

function wrongType(where: string, wanted: readonly string[], value: unknown, path: DocumentPath): ViolationText {
  const is = typeOf(value);
  const named = wanted
    .filter((type) => type !== "null" || wanted.length === 1)
    .map((type) => valueTypeNames[type] ?? type);
  const not = is === "number" && wanted.includes("integer") ? "not a fraction" : `not ${valueTypeNames[is] ?? is}`;
  const message = `${where} must be ${named.join(" or ")}, ${not}`;
  return { code: "wrong-type", message, remedy: typeRemedy(wanted, is, value, path) };
}

function typeRemedy(wanted: readonly string[], is: string, value: unknown, path: DocumentPath): string {
  if (path.at(-1) === "endpoint_configuration" && is === "null")
    return "Leave it out: how an endpoint configuration is cleared is not specified, so what is live stays.";
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

function notAllowed(where: string, allowed: readonly unknown[], value: unknown, path: DocumentPath): ViolationText {
  const values = allowed.filter((one) => one !== null).map(String);
  const near = typeof value === "string" ? suggest(value, values) : null;
  const message = `${where} must be ${values.length === 1 ? "" : "one of "}${values.join(", ")}${actualValue(value, path)}`;
  return near === null
    ? { code: "not-allowed-value", message }
    : { code: "not-allowed-value", message, remedy: `Did you mean ${near}?` };
}

/** The offending value, when it is short and can't be a secret. */
function actualValue(value: unknown, path: DocumentPath): string {
  if (isSensitive(path)) return "";
  if (typeof value === "string" && value.length <= 80) return `, not ${JSON.stringify(value)}`;
  if (typeof value === "number" || typeof value === "boolean" || value === null) return `, not ${String(value)}`;
  return "";
}

/** What to say of a member that the schema does not know: misspelt, misplaced, the service's own, or just unknown. */
function describeUnknown(
  path: DocumentPath,
  members: MemberIndex,
): Pick<SchemaError, "path" | "at" | "code" | "message" | "remedy" | "sensitive"> {
  const name = String(path.at(-1));
  const parent = path.slice(0, -1);
  const known = membersAt(members, parent);
  const near = suggest(name, known);
  const code: SchemaCode = near === null && isReadOnly(path) ? "read-only-member" : "unknown-member";
  const where = showPath(path);
  // The suggestion stands in the message: a reader of the JSON format may know no other text.
  const guess = near === null ? "" : `: did you mean ${near}?`;
  const message =
    code === "read-only-member"
      ? `${where} is set by the service and can't be asked for`
      : `${where} is not known${guess}`;
  const found = { path, at: "key", code, message, sensitive: isSensitive(path) } as const;
  return { ...found, remedy: remedyFor(path, name, near, known, members) ?? schemaCodes[code].remedy };
}

function remedyFor(
  path: DocumentPath,
  name: string,
  near: string | null,
  known: readonly string[],
  members: MemberIndex,
): string | null {
  if (near !== null) return `Rename it to ${near}.`;
  const hint = hintFor(path);
  if (hint !== null) return hint;
  if (isReadOnly(path)) return null;
  const elsewhere = Object.keys(members).find((place) => !place.includes("*") && members[place]?.includes(name));
  if (elsewhere !== undefined)
    return elsewhere === "" ? "It belongs to the top of the document." : `It belongs to ${elsewhere}.`;
  if (known.length === 0) return null;
  return `Remove it. ${path.length === 1 ? "A document" : showPath(path.slice(0, -1))} takes ${known.join(", ")}.`;
}
