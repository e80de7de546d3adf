import { type SchemaCode, schemaCodes } from "../diagnostics/codes.js";
import type { ImproveWords } from "../diagnostics/diagnostic.js";
import { didYouMean, suggest } from "../diagnostics/suggest.js";
import { type DocumentPath, isSensitive, pathOf, showPath, valueAt } from "../core/document-path.js";
import { formOf, isReadOnly, memberHint, textOf } from "./hints.js";
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

/** Without what another error explains, such as a member that is missing because it is misspelt, and without repetition. */
function withoutEchoes(errors: readonly SchemaError[]): readonly SchemaError[] {
  const explained = new Set(errors.flatMap(({ explains = [] }) => explains.map((path) => JSON.stringify(path))));
  const fixed = new Set(
    errors.flatMap(({ keyword, path }) => (keyword === "const" || keyword === "enum" ? [JSON.stringify(path)] : [])),
  );
  const seen = new Set<string>();
  return errors.filter(({ code, isEmpty, keyword, params, path }) => {
    const missing = params["missingProperty"];
    if (keyword === "required" && explained.has(JSON.stringify([...path, missing]))) return false;
    if (keyword === "type" && isEmpty === true && explained.has(JSON.stringify(path))) return false;
    // It must be one of a few texts: that says that it must be text.
    if (keyword === "type" && fixed.has(JSON.stringify(path))) return false;
    const key = JSON.stringify([code, path, missing]);
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

/** What a violation is called. A remedy that is left out is the code's own; null = none. */
interface Words {
  readonly code: SchemaCode;
  readonly message: string;
  readonly remedy?: string | null;
  readonly improve?: ImproveWords;
  readonly explains?: readonly DocumentPath[];
}

/** A violation in words, or null for one that only repeats others. */
function describeViolation(violation: SchemaViolation, document: unknown, members: MemberIndex): SchemaError | null {
  const { keyword, params, propertyName } = violation;
  const holder = pathOf(violation.instancePath, document);
  const unknown = params["additionalProperty"];
  const name = typeof unknown === "string" ? unknown : propertyName;
  const path = name === undefined ? holder : [...holder, name];
  const value = valueAt(document, path);
  const words =
    typeof unknown === "string"
      ? unknownMember(path, document, members)
      : propertyName === undefined
        ? describe(violation, { path, value, document, members })
        : wrongName(violation, path);
  if (words === null) return null;
  return {
    remedy: schemaCodes[words.code].remedy,
    ...words,
    path,
    at: name === undefined && words.code !== "reserved-member" ? "value" : "key",
    keyword,
    params,
    // `api.key` is what people call the API key.
    sensitive: isSensitive(path) || path.join(".").endsWith("api.key"),
    isEmpty: value === null,
  };
}

/** A member's name that does not have the required form. */
function wrongName({ keyword, params }: SchemaViolation, path: DocumentPath): Words | null {
  if (keyword !== "pattern") return null;
  const message = `the name ${showPath(path.slice(-1))} must be ${formOf(textOf(params["pattern"]))}`;
  return { code: "bad-format", message, remedy: null };
}

/** A member that the schema does not have: misplaced, misspelt, another tool's, set by the service, or just unknown. */
function unknownMember(path: DocumentPath, document: unknown, members: MemberIndex): Words {
  const code = "unknown-member";
  const parent = path.slice(0, -1);
  const name = String(path.at(-1));
  const known = membersAt(members, parent);
  // `{TEXT}` is a map with the key TEXT: what stands there may be the secret.
  if (isSensitive(parent) && known.includes("env")) {
    const message = `${showPath(parent)} has a member that is not known`;
    return { code, message, remedy: "Write {env: NAME} or {file: path}.", explains: [parent] };
  }
  const outward = around(path, document, members);
  if (outward !== null) return misplaced(path, outward, document);
  const message = `${showPath(path)} is not known`;
  const hint = memberHint(path);
  if (isReadOnly(path)) {
    const readOnly = `${showPath(path)} is set by the service and can't be configured`;
    return { code: "read-only-member", message: readOnly, ...(hint === null ? {} : { remedy: hint }) };
  }
  if (hint !== null)
    return { code, message, remedy: hint, explains: known.length === 1 ? [[...parent, known[0] ?? ""]] : [] };
  const near = suggest(name, known);
  // The suggestion is part of the message too: readers of the JSON format may show nothing else.
  if (near !== null)
    return {
      code,
      message: `${message}: did you mean ${near}?`,
      remedy: `Rename it to ${near}.`,
      explains: [[...parent, near]],
    };
  const inward = known.map((member) => [...parent, member]).find((at) => membersAt(members, at).includes(name));
  if (inward !== undefined) return misplaced(path, inward, document);
  const place = parent.length === 0 ? "A document" : showPath(parent);
  return { code, message, remedy: `Remove it.${known.length === 0 ? "" : ` ${place} accepts ${known.join(", ")}.`}` };
}

/** The nearest map around the member's own that takes it and does not have it. */
function around(path: DocumentPath, document: unknown, members: MemberIndex): DocumentPath | null {
  const name = String(path.at(-1));
  for (let length = path.length - 2; length >= 0; length--) {
    const target = path.slice(0, length);
    const isFree = valueAt(document, [...target, name]) === undefined;
    if (isFree && membersAt(members, target).includes(name)) return target;
  }
  return null;
}

function misplaced(path: DocumentPath, target: DocumentPath, document: unknown): Words {
  const name = String(path.at(-1));
  const there = [...target, name];
  const place = target.length === 0 ? "the top of the document" : showPath(target);
  const message = `${showPath(path)} is not known: ${showPath([name])} belongs to ${place}`;
  const further = target.length === 0 ? "" : ", two columns further in than that";
  const isTaken = valueAt(document, there) !== undefined;
  const remedy = isTaken ? `Remove it: ${showPath(there)} is there already.` : `Move it to ${place}${further}.`;
  return { code: "unknown-member", message, remedy, explains: isTaken ? [] : [there, target] };
}

/** The value that breaks the schema, and where it is. */
interface Place {
  readonly path: DocumentPath;
  readonly value: unknown;
  readonly document: unknown;
  readonly members: MemberIndex;
}

const giveValue = "Give it a value, or leave it out if it is optional.";

function describe({ keyword, params }: SchemaViolation, place: Place): Words | null {
  const { path, value } = place;
  const where = path.length === 0 ? "the document" : showPath(path);
  const limit = textOf(params["limit"]);
  const not = actualValue(value, path);
  switch (keyword) {
    case "required":
    case "dependentRequired":
      return missingMember([...path, textOf(params["missingProperty"])], place);
    case "type":
      return wrongType([params["type"]].flat().map(String), where, place);
    case "enum": {
      const allowed = [params["allowedValues"]]
        .flat()
        .filter((one) => one !== null)
        .map(String);
      const message = `${where} must be ${allowed.length === 1 ? "" : "one of "}${allowed.join(", ")}${not}`;
      const remedy = typeof value === "string" ? didYouMean(value, allowed) : null;
      return { code: "not-allowed-value", message, remedy };
    }
    case "const": {
      const code = path.at(-1) === "apiVersion" ? "unknown-api-version" : "not-allowed-value";
      return { code, message: `${where} must be ${textOf(params["allowedValue"])}${not}` };
    }
    case "pattern":
      return {
        code: "bad-format",
        message: `${where} must be ${formOf(textOf(params["pattern"]))}${not}`,
        remedy: value === "" ? giveValue : null,
      };
    case "maxBytes": {
      const size = typeof value === "string" ? Buffer.byteLength(value, "utf8") : 0;
      const excess = size - Number(limit);
      const message = `${where} has ${size} bytes of UTF-8; the service takes ${limit}`;
      return {
        code: "too-long",
        message,
        remedy: `Shorten it by ${excess === 1 ? "a byte" : `${excess} bytes`} or more.`,
      };
    }
    case "maxLength":
      return { code: "too-long", message: `${where} is longer than ${limit} characters`, remedy: null };
    case "maxItems":
      return { code: "too-long", message: `${where} has more than ${limit} items`, remedy: null };
    case "minLength":
    case "minItems":
      return {
        code: "empty-value",
        message: `${where} must not be empty`,
        remedy: giveValue,
      };
    case "minimum":
      return { code: "out-of-range", message: `${where} must be at least ${limit}${not}`, remedy: null };
    case "exclusiveMinimum":
      return { code: "out-of-range", message: `${where} must be more than ${limit}${not}`, remedy: null };
    case "maximum":
      return { code: "out-of-range", message: `${where} must be at most ${limit}${not}`, remedy: null };
    case "minProperties":
    case "maxProperties": {
      const choices = choicesAt(place.members, path);
      const remedy = `Write ${choices.map((name) => `{${name}: …}`).join(" or ")}.`;
      return { code: "choose-one", message: `${where} must have exactly one of ${choices.join(", ")}`, remedy };
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
      return { code: "bad-format", message: `${where} breaks the schema's rule '${keyword}'`, remedy: null };
  }
}

function missingMember(missing: DocumentPath, { document }: Place): Words {
  const code = "missing-member";
  const message = `${showPath(missing)} is missing`;
  if (missing.length === 1 && missing[0] === "apiVersion")
    return { code, message, remedy: "Add the line apiVersion: edgewise/v1." };
  const kind = valueAt(document, ["kind"]);
  const field = [kind, ...missing.filter((step) => typeof step === "string")].join(".");
  const isExplained = typeof kind === "string" && /^[A-Za-z]+$/.test(kind);
  return {
    code,
    message,
    remedy: `Add it${isExplained ? `; \`edgewise explain ${field}\` shows what it accepts` : ""}.`,
  };
}

/** A value of the wrong type: what it is, and how to write the one that was meant. */
function wrongType(wanted: readonly string[], where: string, { members, path, value }: Place): Words {
  const is = value === null || value === undefined ? "null" : Array.isArray(value) ? "array" : typeof value;
  const named = wanted.filter((type) => type !== "null" || wanted.length === 1).map(oneOfType);
  const isWord = wanted.some((type) => type === "boolean" || type === "integer" || type === "number");
  // In the place of a map may be anything, even a secret.
  const mayQuote = isWord && typeof value === "string" && value.length <= 80 && !isSensitive(path);
  const isFraction = is === "number" && wanted.includes("integer");
  const not = isFraction ? "a fraction" : mayQuote ? JSON.stringify(value) : oneOfType(is);
  const words = { code: "wrong-type", message: `${where} must be ${named.join(" or ")}, not ${not}` } as const;
  if (is === "null" && path.at(-1) === "endpoint_configuration") {
    const remedy =
      "Leave it out to keep the live value; the service documents no way to clear an endpoint configuration.";
    return { ...words, remedy };
  }
  if (is === "null") return { ...words, remedy: "Write its value, or remove the member if it is optional." };
  if (wanted.includes("string") && (is === "number" || is === "boolean"))
    return { ...words, remedy: "Put it in quotes.", ...(isSensitive(path) ? {} : { improve: quoted }) };
  if (isSensitive(path)) return { ...words, remedy: null };
  if (wanted.includes("boolean")) return { ...words, remedy: "Write true or false, without quotes." };
  if (isWord) return { ...words, remedy: "Write a number in digits, without quotes." };
  if (wanted.includes("array"))
    return { ...words, remedy: "Write a list: [first, second], or one `- ` line for each." };
  if (!wanted.includes("object"))
    return { ...words, remedy: "Write text after the colon, in quotes if it begins with { or [." };
  const known = choicesAt(members, path);
  const example = (known.length === 0 ? ["name"] : known).map((name) => `${name}: …`).join(", ");
  return { ...words, remedy: `Write a map: {${example}}.` };
}

/** The text in the file counts, not the value: 1.10 is 1.1, and 0o17 is 15. */
const quoted: ImproveWords = (text) => {
  if (text === null) return null;
  const name = /^["']?\$\{\{\s*vars\.([\w-]+)\s*\}\}["']?$/u.exec(text)?.[1];
  return name === undefined
    ? { remedy: `Put it in quotes: ${JSON.stringify(text)}.` }
    : { remedy: `Put quotes around the value of the variable ${name}, where it is set.` };
};

/** The offending value, when it is short and can't be a secret. */
function actualValue(value: unknown, path: DocumentPath): string {
  if (isSensitive(path)) return "";
  if (typeof value === "string" && value.length <= 80) return `, not ${JSON.stringify(value)}`;
  if (typeof value === "number" || typeof value === "boolean" || value === null) return `, not ${String(value)}`;
  return "";
}

/** The members that may stand alone: `stack` only belongs to a reference's `name`. */
function choicesAt(members: MemberIndex, path: DocumentPath): readonly string[] {
  const known = membersAt(members, path);
  return known.includes("id") ? known.filter((name) => name !== "stack") : known;
}
