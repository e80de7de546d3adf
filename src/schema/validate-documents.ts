import { type DocumentPath, isSensitive, showPath, valueAt } from "../core/document-path.js";
import { isObject } from "../core/json.js";
import { type SchemaCode, schemaCodes } from "../diagnostics/codes.js";
import { didYouMean, suggest } from "../diagnostics/suggest.js";
import { type KindName, isKindName, kindNames, moduleKinds } from "../kinds/names.js";
import { schemaFile } from "./schema-files.js";
import { formOf, isField, membersAt, oneOfType, partAt, specFieldsOf, textOf } from "./schema-part.js";
import { type SchemaViolation, violationsOf } from "./violations.js";

export type SchemaError = Readonly<{
  path: DocumentPath;
  at: "key" | "value";
  /** Of the violation; "" for a rule of our own. */
  keyword: string;
  wanted: unknown;
  code: SchemaCode;
  /** Without any secret. */
  message: string;
  remedy: string | null;
  /** The place may hold a secret. */
  sensitive: boolean;
}>;

function schemaError(
  code: SchemaCode,
  message: string,
  path: DocumentPath = [],
  remedy: string = schemaCodes[code],
): SchemaError {
  return { path, at: "value", keyword: "", wanted: null, code, message, remedy, sensitive: false };
}

type Document = { readonly [member: string]: unknown };

/** `adopt` may replace `metadata.id`. */
export function manifestErrors(
  document: unknown,
  adopt: { readonly [address: string]: string } = {},
): readonly SchemaError[] {
  if (!isObject(document)) return [schemaError("not-a-map", "the document is not a map of members")];
  const { kind } = document;
  if (!isKindName(kind)) return [unknownKind(document)];
  return [
    ...collectErrors(schemaFile(kind), document),
    ...missingIdErrors(document, kind, adopt),
    ...ignoredFieldErrors(document, kind),
  ];
}

function missingIdErrors(
  { metadata }: Document,
  kind: KindName,
  adopt: { readonly [address: string]: string },
): readonly SchemaError[] {
  if (!(moduleKinds as readonly string[]).includes(kind) || !isObject(metadata)) return [];
  if ((metadata["id"] ?? null) !== null || Object.hasOwn(adopt, `${kind}/${String(metadata["name"])}`)) return [];
  const remedy = "Add the id of the existing edge or route, here or under `adopt` in the configuration.";
  return [schemaError("missing-member", "metadata.id is missing", ["metadata"], remedy)];
}

function unknownKind({ apiVersion, kind }: Document): SchemaError {
  if (typeof apiVersion === "string" && apiVersion.length <= 80 && !/edgewise|^v?\d/iu.test(apiVersion)) {
    const remedy = "Leave this file out of `manifests`, or move it to another directory.";
    const message = `this is a manifest of another tool: its apiVersion is ${JSON.stringify(apiVersion)}`;
    return schemaError("unknown-kind", message, ["apiVersion"], remedy);
  }
  const known = `Known kinds: ${kindNames.join(", ")}.`;
  if (typeof kind !== "string") return schemaError("unknown-kind", "kind is missing", [], known);
  if (kind === "Config") {
    const remedy = "List only manifests under `manifests` or with -f.";
    return schemaError("unknown-kind", "this is a configuration, not a manifest", ["kind"], remedy);
  }
  const shown = kind.length <= 80 ? ` ${JSON.stringify(kind)}` : "";
  const remedy = didYouMean(kind, kindNames) ?? known;
  return schemaError("unknown-kind", `there is no kind${shown}`, ["kind"], remedy);
}

function ignoredFieldErrors({ lifecycle }: Document, kind: KindName): readonly SchemaError[] {
  const ignore: unknown = isObject(lifecycle) ? lifecycle["ignore"] : null;
  if (!Array.isArray(ignore)) return [];
  const unknown = (ignore as readonly unknown[]).flatMap((field, index) =>
    typeof field !== "string" || !field.startsWith("spec.") || isField(schemaFile(kind), field.split("."))
      ? []
      : [{ field, index }],
  );
  return unknown.slice(0, mostErrors).map(({ field, index }) => {
    const remedy = didYouMean(field, specFieldsOf(schemaFile(kind))) ?? undefined;
    return schemaError(
      "unknown-ignored-field",
      `${kind} has no field ${field}`,
      ["lifecycle", "ignore", index],
      remedy,
    );
  });
}

/** Without errors it has the type `ConfigDocument`. */
export function configErrors(document: unknown): readonly SchemaError[] {
  if (!isObject(document)) return [schemaError("not-a-map", "the configuration is not a map of members")];
  const kind = document["kind"];
  if (isKindName(kind)) {
    const remedy = "List this file under `manifests`, or name it with -f.";
    return [schemaError("unknown-kind", "this is a manifest, not a configuration", ["kind"], remedy)];
  }
  return collectErrors("config.schema.json", document);
}

/** Without errors it has the type `FleetDocument`. */
export function fleetErrors(document: unknown): readonly SchemaError[] {
  if (!isObject(document)) return [schemaError("not-a-map", "the fleet file is not a map of members")];
  const kind = document["kind"];
  if (typeof kind !== "string" || kind === "Fleet") return collectErrors("fleet.schema.json", document);
  const [message, remedy] =
    kind === "Config"
      ? ["this is the configuration of one stack", "Name the fleet file; `config` of an entry there names this one."]
      : ["this is not a fleet file", "Name a file whose kind is Fleet; `edgewise explain Fleet` shows what it holds."];
  return [schemaError("unknown-kind", message, ["kind"], remedy)];
}

/** Null = it has the type `Plan`. */
export function validatePlan(document: unknown): string | null {
  return collectErrors("plan.schema.json", document)[0]?.message ?? null;
}

const mostErrors = 50;

function collectErrors(file: string, document: unknown): readonly SchemaError[] {
  const errors = new Map<string, SchemaError>();
  for (const violation of violationsOf(file, document)) {
    const error = describeViolation(violation, document, file);
    const key = JSON.stringify([error.code, error.path, error.message]);
    if (!errors.has(key)) errors.set(key, error);
    if (errors.size > mostErrors) {
      const more = schemaError("too-many-errors", `the document has more than ${mostErrors} errors`);
      return [...[...errors.values()].slice(0, mostErrors), more];
    }
  }
  return [...errors.values()];
}

/** What is wrong with the subject; a remedy that is left out is the code's own, null = none. */
type Words = readonly [code: SchemaCode, problem: string, remedy?: string | null | undefined, subject?: string];

function describeViolation(violation: SchemaViolation, document: unknown, file: string): SchemaError {
  const { keyword, member, wanted } = violation;
  const isMissing = keyword === "required" || keyword === "dependentRequired";
  const named = member === undefined ? violation.path : [...violation.path, member];
  const path = isMissing ? violation.path : named;
  const words = isMissing
    ? missingMember(named, document)
    : member === undefined
      ? describe(violation, valueAt(document, path), file)
      : keyword === "additionalProperties"
        ? unknownMember(path, file)
        : wrongName(path, wanted);
  const [code, problem, remedy = schemaCodes[code], subject = named.length === 0 ? "the document" : showPath(named)] =
    words;
  return {
    path,
    at: path === violation.path && code !== "reserved-member" ? "value" : "key",
    keyword,
    wanted,
    code,
    message: `${subject} ${problem}`,
    remedy,
    // `api.key` is what people call the API key.
    sensitive: isSensitive(path) || path.join(".").endsWith("api.key"),
  };
}

function missingMember(path: DocumentPath, document: unknown): Words {
  const is = "is missing";
  if (path.join() === "apiVersion") return ["missing-member", is, "Add the line apiVersion: edgewise/v1."];
  const kind = valueAt(document, ["kind"]);
  if (typeof kind !== "string" || !/^[A-Za-z]+$/.test(kind)) return ["missing-member", is, "Add it."];
  const field = [kind, ...path.filter((step) => typeof step === "string")].join(".");
  return ["missing-member", is, `Add it; \`edgewise explain ${field}\` shows what it accepts.`];
}

function wrongName(path: DocumentPath, pattern: unknown): Words {
  return ["bad-format", `must be ${formOf(textOf(pattern))}`, null, `the name ${showPath(path.slice(-1))}`];
}

function unknownMember(path: DocumentPath, file: string): Words {
  const parent = path.slice(0, -1);
  const known = membersAt(file, parent);
  // `{TEXT}` is a map with the key TEXT, which may be the secret.
  if (isSensitive(parent) && known.includes("env")) {
    const is = "has a member that is not known";
    return ["unknown-member", is, "Write {env: NAME} or {file: path}.", showPath(parent)];
  }
  const hint = memberHint(path);
  if (isReadOnly(path)) return ["read-only-member", "is set by the service", hint];
  if (hint !== undefined) return ["unknown-member", "is not known", hint];
  const near = suggest(String(path.at(-1)), known);
  // JSON's readers may show only the message.
  if (near !== null) return ["unknown-member", `is not known: did you mean ${near}?`, `Rename it to ${near}.`];
  const place = parent.length === 0 ? "A document" : showPath(parent);
  const accepted = known.length === 0 ? "" : ` ${place} accepts ${known.join(", ")}.`;
  return ["unknown-member", "is not known", `Remove it, or move it to where it belongs.${accepted}`];
}

const readOnly = new Set(
  (
    "id uri created_at addr policy subject_common_name subject_alternative_names issued_at not_before not_after " +
    "key_usages extended_key_usages private_key_type issuer_common_name serial_number subject_organization " +
    "subject_organizational_unit subject_locality subject_province subject_country"
  ).split(" "),
);

export function isReadOnly(path: DocumentPath): boolean {
  const name = path.at(-1);
  if (path[0] !== "spec" || typeof name !== "string") return false;
  // Only the schema of an HTTPS edge lacks it.
  const isTermination = name === "terminate_at" && path.at(-2) === "tls_termination";
  return name === "uri" || isTermination || (path.length === 2 && readOnly.has(name));
}

const memberHints: readonly (readonly [path: RegExp, remedy: string])[] = [
  [/\.tls_termination\.terminate_at$/u, "Remove it: where TLS ends is not a choice for HTTPS edges."],
  [/^spec\.id$/u, "Remove it; to adopt an existing resource write metadata.id."],
  [/^spec\.\w+\.value\.\w+$/u, "A map that names a file has nothing else; a policy has members like on_tcp_connect."],
  [/^spec\..*\.env$/u, "Only secrets take {env: NAME}. Write {file: …}, or a text with ${{ env.NAME }} in it."],
  [/^spec\..*_ids?$/u, "Write it as GET returns it, as in backend: {id: …} or ip_policies: [{id: …}]."],
  [
    /^(?:lifecycle|metadata\.previousNames)$/u,
    "Remove it: modules of an existing edge have no owner and are never deleted.",
  ],
  [
    /(?:api[-_]?key|token|api\.key)$/iu,
    "Remove it: the API key comes from EDGEWISE_API_KEY or --api-key-file, never from a file in Git.",
  ],
];

function memberHint(path: DocumentPath): string | undefined {
  return memberHints.find(([pattern]) => pattern.test(path.join(".")))?.[1];
}

const giveValue = "Give it a value, or leave it out.";

function describe({ keyword, path, wanted }: SchemaViolation, value: unknown, file: string): Words {
  const limit = textOf(wanted);
  const not = actualValue(value, path);
  switch (keyword) {
    case "type":
      return wrongType([wanted].flat().map(String), path, value, file);
    case "enum": {
      const allowed = [wanted].flat().flatMap((one) => (one === null ? [] : [String(one)]));
      const choice = `${allowed.length === 1 ? "" : "one of "}${allowed.join(", ")}`;
      const remedy = typeof value === "string" ? didYouMean(value, allowed) : null;
      return ["not-allowed-value", `must be ${choice}${not}`, remedy];
    }
    case "const": {
      const code = path.at(-1) === "apiVersion" ? "unknown-api-version" : "not-allowed-value";
      return [code, `must be ${limit}${not}`];
    }
    case "pattern":
      return ["bad-format", `must be ${formOf(limit)}${not}`, value === "" ? giveValue : null];
    case "maxBytes":
      return ["too-long", `has ${Buffer.byteLength(textOf(value))} bytes of UTF-8; the service takes ${limit}`];
    case "maxLength":
      return ["too-long", `is longer than ${limit} characters`, null];
    case "maxItems":
      return ["too-long", `has more than ${limit} items`, null];
    case "minLength":
    case "minItems":
      return ["empty-value", "must not be empty", giveValue];
    case "minimum":
      return ["out-of-range", `must be at least ${limit}${not}`, null];
    case "maximum":
      return ["out-of-range", `must be at most ${limit}${not}`, null];
    case "minProperties":
    case "maxProperties":
      return ["choose-one", `must have exactly one of ${choicesAt(file, path).join(", ")}`];
    case "uniqueItems":
      return ["duplicate-item", `has the same item at ${[wanted].flat().join(" and ")}`];
    case "false schema":
      return ["reserved-member", "is reserved for the ownership marker"];
    default:
      return ["bad-format", `breaks the schema's rule '${keyword}'`, null];
  }
}

const typeRemedies: { readonly [type: string]: string } = {
  boolean: "Write true or false, without quotes.",
  integer: "Write a number in digits, without quotes.",
  number: "Write a number in digits, without quotes.",
  array: "Write a list: [first, second].",
  object: "Write a map.",
  string: "Write text after the colon, in quotes if it begins with { or [.",
};

function wrongType(wanted: readonly string[], path: DocumentPath, value: unknown, file: string): Words {
  const known = choicesAt(file, path);
  const is = value === null || value === undefined ? "null" : Array.isArray(value) ? "array" : typeof value;
  const types = wanted.filter((type) => type !== "null" || wanted.length === 1);
  const isWord = types.some((type) => type === "boolean" || type === "integer" || type === "number");
  // In place of a map may be a secret.
  const mayQuote = isWord && typeof value === "string" && value.length <= 80 && !isSensitive(path);
  const isFraction = is === "number" && types.includes("integer");
  const not = isFraction ? "a fraction" : mayQuote ? JSON.stringify(value) : oneOfType(is);
  const remedy = (): string | null => {
    if (is === "null" && path.at(-1) === "endpoint_configuration")
      return "Leave it out to keep the live value: the service can't clear it.";
    if (is === "null") return "Write its value, or remove the member if it is optional.";
    if (types.includes("string") && (is === "number" || is === "boolean")) {
      const form = formOf(textOf(partAt(file, path)?.schema["pattern"]));
      return form.startsWith("a duration") ? `Write ${form}.` : "Put it in quotes.";
    }
    if (isSensitive(path)) return null;
    const type = Object.keys(typeRemedies).find((each) => types.includes(each)) ?? "string";
    if (type !== "object" || known.length === 0) return typeRemedies[type] ?? null;
    return `Write a map: {${known.map((name) => `${name}: …`).join(", ")}}.`;
  };
  return ["wrong-type", `must be ${types.map(oneOfType).join(" or ")}, not ${not}`, remedy()];
}

/** When it is short and can't be a secret. */
function actualValue(value: unknown, path: DocumentPath): string {
  if (isSensitive(path)) return "";
  if (typeof value === "string" && value.length <= 80) return `, not ${JSON.stringify(value)}`;
  if (typeof value === "number" || typeof value === "boolean" || value === null) return `, not ${String(value)}`;
  return "";
}

/** `stack` only belongs to a reference's `name`. */
function choicesAt(file: string, path: DocumentPath): readonly string[] {
  const known = membersAt(file, path);
  return known.includes("id") ? known.filter((name) => name !== "stack") : known;
}
