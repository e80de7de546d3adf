import { type SchemaCode, schemaCodes } from "../diagnostics/codes.js";
import { didYouMean, suggest } from "../diagnostics/suggest.js";
import { type DocumentPath, isSensitive, showPath, valueAt } from "../core/document-path.js";
import { formOf, isReadOnly, memberHint, textOf } from "./hints.js";
import { membersAt } from "./schema-part.js";
import { oneOfType } from "./schema-part.js";
import { type SchemaViolation, violationsOf } from "./violations.js";

/** One violation of a schema, in words. */
export type SchemaError = Readonly<{
  /** To the value, or the unknown member; for a missing one, to the map that lacks it. */
  path: DocumentPath;
  at: "key" | "value";
  /** What was violated, and what it asks for; "" for a rule of our own. */
  keyword: string;
  wanted: unknown;
  code: SchemaCode;
  /** Holds no value that could be a secret. */
  message: string;
  /** Null = the message says all. */
  remedy: string | null;
  /** The place may hold a secret. */
  sensitive: boolean;
}>;

/** An error of a rule of our own. */
export function schemaError(
  code: SchemaCode,
  message: string,
  { path = [], remedy = schemaCodes[code] }: Readonly<{ path?: DocumentPath; remedy?: string }> = {},
): SchemaError {
  return { path, at: "value", keyword: "", wanted: null, code, message, remedy, sensitive: false };
}

/** Of one document. */
export const mostErrors = 50;

export function collectErrors(file: string, document: unknown): readonly SchemaError[] {
  const errors = new Map<string, SchemaError>();
  for (const violation of violationsOf(file, document)) {
    const error = describeViolation(violation, document, file);
    const key = JSON.stringify([error.code, error.path, error.message]);
    if (!errors.has(key)) errors.set(key, error);
    if (errors.size > mostErrors) return [...[...errors.values()].slice(0, mostErrors), tooMany];
  }
  return [...errors.values()];
}

const tooMany = schemaError("too-many-errors", `the document has more than ${mostErrors} errors`);

/** A remedy that is left out is the code's own; null = none. */
type Words = Readonly<{
  code: SchemaCode;
  message: string;
  remedy?: string | null;
}>;

function describeViolation(violation: SchemaViolation, document: unknown, file: string): SchemaError {
  const { keyword, member, wanted } = violation;
  const isMissing = keyword === "required" || keyword === "dependentRequired";
  const path = member === undefined || isMissing ? violation.path : [...violation.path, member];
  const words = isMissing
    ? missingMember([...path, member ?? ""], document)
    : member === undefined
      ? describe(violation, valueAt(document, path), file)
      : keyword === "additionalProperties"
        ? unknownMember(path, file)
        : wrongName(path, wanted);
  return {
    remedy: schemaCodes[words.code],
    ...words,
    path,
    at: path === violation.path && words.code !== "reserved-member" ? "value" : "key",
    keyword,
    wanted,
    // `api.key` is what people call the API key.
    sensitive: isSensitive(path) || path.join(".").endsWith("api.key"),
  };
}

function wrongName(path: DocumentPath, pattern: unknown): Words {
  const message = `the name ${showPath(path.slice(-1))} must be ${formOf(textOf(pattern))}`;
  return { code: "bad-format", message, remedy: null };
}

function unknownMember(path: DocumentPath, file: string): Words {
  const parent = path.slice(0, -1);
  const known = membersAt(file, parent);
  // `{TEXT}` is a map with the key TEXT: what stands there may be the secret.
  if (isSensitive(parent) && known.includes("env")) {
    const message = `${showPath(parent)} has a member that is not known`;
    return { code: "unknown-member", message, remedy: "Write {env: NAME} or {file: path}." };
  }
  const hint = memberHint(path);
  if (isReadOnly(path)) {
    const message = `${showPath(path)} is set by the service`;
    return { code: "read-only-member", message, ...(hint === null ? {} : { remedy: hint }) };
  }
  const message = `${showPath(path)} is not known`;
  if (hint !== null) return { code: "unknown-member", message, remedy: hint };
  const near = suggest(String(path.at(-1)), known);
  // Readers of the JSON format may show nothing but the message.
  if (near !== null)
    return { code: "unknown-member", message: `${message}: did you mean ${near}?`, remedy: `Rename it to ${near}.` };
  const place = parent.length === 0 ? "A document" : showPath(parent);
  const accepted = known.length === 0 ? "" : ` ${place} accepts ${known.join(", ")}.`;
  return { code: "unknown-member", message, remedy: `Remove it, or move it to where it belongs.${accepted}` };
}

const giveValue = "Give it a value, or leave it out.";

/** The code, the words after the path, and the remedy (else the code's own). */
const plainWords: {
  readonly [keyword: string]: readonly [SchemaCode, (limit: string, not: string) => string, (string | null)?];
} = {
  maxLength: ["too-long", (limit) => `is longer than ${limit} characters`, null],
  maxItems: ["too-long", (limit) => `has more than ${limit} items`, null],
  minLength: ["empty-value", () => "must not be empty", giveValue],
  minItems: ["empty-value", () => "must not be empty", giveValue],
  minimum: ["out-of-range", (limit, not) => `must be at least ${limit}${not}`, null],
  maximum: ["out-of-range", (limit, not) => `must be at most ${limit}${not}`, null],
  "false schema": ["reserved-member", () => "is reserved for the ownership marker"],
};

function describe({ keyword, path, wanted }: SchemaViolation, value: unknown, file: string): Words {
  const where = path.length === 0 ? "the document" : showPath(path);
  const limit = textOf(wanted);
  const not = actualValue(value, path);
  const words = (code: SchemaCode, message: string, remedy?: string | null): Words => ({
    code,
    message: `${where} ${message}`,
    ...(remedy === undefined ? {} : { remedy }),
  });
  const plain = plainWords[keyword];
  if (plain !== undefined) return words(plain[0], plain[1](limit, not), plain[2]);
  switch (keyword) {
    case "type":
      return wrongType([wanted].flat().map(String), where, path, value, choicesAt(file, path));
    case "enum": {
      const allowed = [wanted].flat().flatMap((one) => (one === null ? [] : [String(one)]));
      const choice = `${allowed.length === 1 ? "" : "one of "}${allowed.join(", ")}`;
      const remedy = typeof value === "string" ? didYouMean(value, allowed) : null;
      return words("not-allowed-value", `must be ${choice}${not}`, remedy);
    }
    case "const": {
      const code = path.at(-1) === "apiVersion" ? "unknown-api-version" : "not-allowed-value";
      return words(code, `must be ${limit}${not}`);
    }
    case "pattern":
      return words("bad-format", `must be ${formOf(limit)}${not}`, value === "" ? giveValue : null);
    case "maxBytes":
      return words("too-long", `has ${Buffer.byteLength(textOf(value))} bytes of UTF-8; the service takes ${limit}`);
    case "minProperties":
    case "maxProperties":
      return words("choose-one", `must have exactly one of ${choicesAt(file, path).join(", ")}`);
    case "uniqueItems":
      return words("duplicate-item", `has the same item at ${[wanted].flat().join(" and ")}`);
    default:
      return words("bad-format", `breaks the schema's rule '${keyword}'`, null);
  }
}

function missingMember(missing: DocumentPath, document: unknown): Words {
  const message = `${showPath(missing)} is missing`;
  if (missing.length === 1 && missing[0] === "apiVersion")
    return { code: "missing-member", message, remedy: "Add the line apiVersion: edgewise/v1." };
  const kind = valueAt(document, ["kind"]);
  if (typeof kind !== "string" || !/^[A-Za-z]+$/.test(kind))
    return { code: "missing-member", message, remedy: "Add it." };
  const field = [kind, ...missing.filter((step) => typeof step === "string")].join(".");
  return { code: "missing-member", message, remedy: `Add it; \`edgewise explain ${field}\` shows what it accepts.` };
}

const typeRemedies: { readonly [type: string]: string } = {
  boolean: "Write true or false, without quotes.",
  integer: "Write a number in digits, without quotes.",
  number: "Write a number in digits, without quotes.",
  array: "Write a list: [first, second].",
  object: "Write a map.",
  string: "Write text after the colon, in quotes if it begins with { or [.",
};

function wrongType(
  wanted: readonly string[],
  where: string,
  path: DocumentPath,
  value: unknown,
  known: readonly string[],
): Words {
  const is = value === null || value === undefined ? "null" : Array.isArray(value) ? "array" : typeof value;
  const types = wanted.filter((type) => type !== "null" || wanted.length === 1);
  const isWord = types.some((type) => type === "boolean" || type === "integer" || type === "number");
  // In the place of a map may be anything, even a secret.
  const mayQuote = isWord && typeof value === "string" && value.length <= 80 && !isSensitive(path);
  const isFraction = is === "number" && types.includes("integer");
  const not = isFraction ? "a fraction" : mayQuote ? JSON.stringify(value) : oneOfType(is);
  const message = `${where} must be ${types.map(oneOfType).join(" or ")}, not ${not}`;
  const remedy = (): string | null => {
    if (is === "null" && path.at(-1) === "endpoint_configuration")
      return "Leave it out to keep the live value: the service can't clear it.";
    if (is === "null") return "Write its value, or remove the member if it is optional.";
    if (types.includes("string") && (is === "number" || is === "boolean")) return "Put it in quotes.";
    if (isSensitive(path)) return null;
    const type = Object.keys(typeRemedies).find((each) => types.includes(each)) ?? "string";
    if (type !== "object" || known.length === 0) return typeRemedies[type] ?? null;
    return `Write a map: {${known.map((name) => `${name}: …`).join(", ")}}.`;
  };
  return { code: "wrong-type", message, remedy: remedy() };
}

/** When it is short and can't be a secret. */
function actualValue(value: unknown, path: DocumentPath): string {
  if (isSensitive(path)) return "";
  if (typeof value === "string" && value.length <= 80) return `, not ${JSON.stringify(value)}`;
  if (typeof value === "number" || typeof value === "boolean" || value === null) return `, not ${String(value)}`;
  return "";
}

/** The members that may stand alone: `stack` only belongs to a reference's `name`. */
function choicesAt(file: string, path: DocumentPath): readonly string[] {
  const known = membersAt(file, path);
  return known.includes("id") ? known.filter((name) => name !== "stack") : known;
}

/** The first schema error of a plan; null = valid, then it has the type `Plan`. */
export function validatePlan(document: unknown): string | null {
  return collectErrors("plan.schema.json", document)[0]?.message ?? null;
}
