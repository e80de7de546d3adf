import type { Json, JsonObject } from "../src/core/json.ts";
import { isObject } from "../src/core/json.ts";
import { conditional, editorPolicy, suggestedOnly } from "./editor-policy.ts";
import { type SchemaPart, formOf, oneOfType, resolveSchema, textOf } from "../src/schema/schema-part.ts";

export interface EditorForm {
  /** Whether values may be expressions: in manifests they may, in a configuration they may not. */
  readonly expressions: boolean;
  /** The paths of fields that `lifecycle.ignore` can name. */
  readonly fields: readonly string[];
}

/** One expression and nothing else: it takes the type of its variable. */
const wholeExpression = "^\\$\\{\\{\\s*(vars|env)\\.[A-Za-z_][A-Za-z0-9_-]*\\s*\\}\\}$";

const anyExpression = "\\$\\{\\{\\s*(vars|env)\\.[A-Za-z_][A-Za-z0-9_-]*\\s*\\}\\}";

const orExpression = ", or an expression such as ${{ vars.NAME }}";

/**
 * As language servers for YAML want it: JSON Schema draft-07 without references to other files, with messages in words,
 * and with room for expressions, which are substituted before the validator comes.
 */
export function editorForm(part: Json | undefined, file: string, form: EditorForm): Json {
  if (typeof part === "boolean") return part;
  const found = resolveSchema(part, file);
  const { schema } = found;
  if (isObject(part) && textOf(part["$ref"]).endsWith("#/$defs/policy"))
    return { ...documentation(schema), ...policyValue(found, form) };
  const values = schema["enum"] ?? (schema["const"] === undefined ? undefined : [schema["const"]]);
  if (Array.isArray(values)) return { ...documentation(schema), ...choice(values, form) };
  const inside = { ...typesOf(schema, form), ...limitsOf(schema, form), ...membersOf(found, form) };
  if (!textOf(schema["pattern"]).startsWith("^spec\\.") || form.fields.length === 0)
    return { ...documentation(schema), ...inside };
  // The fields are better suggestions than an example.
  const { examples: _examples, ...documented } = documentation(schema);
  return { ...documented, anyOf: [inside, suggestedOnly(form.fields)] };
}

/** What editors show, and what they insert: structured examples only as text, because they insert those as "[object Object]". */
function documentation(schema: SchemaPart["schema"]): JsonObject {
  const { title, description, default: preset, examples } = schema;
  const listed: readonly unknown[] = Array.isArray(examples) ? examples : [];
  const plain = listed.filter(isScalar);
  const structured = listed.filter((example) => !isScalar(example)).map((example) => JSON.stringify(example));
  const text = textOf(description);
  return {
    ...(title === undefined ? {} : { title: textOf(title) }),
    ...(description === undefined ? {} : { description: text }),
    ...(structured.length === 0
      ? {}
      : {
          markdownDescription: [escaped(text), ...structured.map((each) => `\`\`\`yaml\n${each}\n\`\`\``)].join("\n\n"),
        }),
    ...(isScalar(preset) && preset !== null && preset !== "" ? { default: preset } : {}),
    ...(plain.length === 0 ? {} : { examples: plain }),
  };
}

function isScalar(value: unknown): value is string | number | boolean | null {
  return value === null || ["string", "number", "boolean"].includes(typeof value);
}

function escaped(text: string): string {
  return text.replaceAll(/[\\`*_{}[\]#+!<>|]/g, "\\$&");
}

/** A fixed set of values. The set comes first: when no alternative matches, its message is the one that is shown. */
function choice(values: readonly Json[], { expressions }: EditorForm): JsonObject {
  const words = values.filter((value) => value !== null).map(textOf);
  const allowed = words.length === 1 ? words.join() : `one of ${words.join(", ")}`;
  const listed = { enum: values, errorMessage: `Must be ${allowed}${expressions ? orExpression : ""}.` };
  const preset = values.length === 1 ? { default: values[0] } : {};
  return { ...preset, ...(expressions ? { anyOf: [listed, expression] } : listed) };
}

const expression: JsonObject = {
  title: "Expression",
  description: "The value of a variable.",
  type: "string",
  pattern: anyExpression,
};

function typesOf(schema: SchemaPart["schema"], { expressions }: EditorForm): JsonObject {
  const types = [schema["type"] ?? []].flat().map(textOf);
  if (types.length === 0) return {};
  const words = types.filter((type) => type !== "null" || types.length === 1).map(oneOfType);
  const isText = types.includes("string");
  const secret = schema["writeOnly"] === true;
  const quotes = isText && types.every((type) => type === "string" || type === "null");
  const wanted = quotes
    ? "Must be text: put a number, true or false in quotes."
    : `Must be ${words.join(" or ")}${expressions && !isText ? orExpression : ""}.`;
  const accepted: JsonObject = {
    type: only([...types, ...(expressions && !isText ? ["string"] : [])]),
    errorMessage: wanted,
  };
  const exactly: JsonObject = secret
    ? { pattern: expressions ? wholeExpression : "^$", patternErrorMessage: inlineSecret }
    : { pattern: wholeExpression, patternErrorMessage: wanted };
  return {
    // The message of an object would also be shown for each of its members that is unknown or missing.
    ...(isObject(schema["properties"]) ? { allOf: [accepted] } : accepted),
    ...(secret || (expressions && !isText) ? exactly : {}),
  };
}

const inlineSecret =
  "A secret belongs outside of the manifest: write {env: NAME} or {file: path}. Without --allow-inline-secrets this is an error.";

function only(types: readonly string[]): Json {
  const [first = "", ...rest] = types;
  return rest.length === 0 ? first : types;
}

function limitsOf(schema: SchemaPart["schema"], { expressions }: EditorForm): JsonObject {
  const { pattern } = schema;
  const isText = [schema["type"]].flat().includes("string") && schema["writeOnly"] !== true;
  const kept = keep(schema, ["minimum", "maximum", "minItems", "maxItems", "uniqueItems"]);
  if (!isText) return kept;
  const matching: JsonObject =
    typeof pattern === "string"
      ? {
          pattern: expressions ? `(?:${pattern})|${anyExpression}` : pattern,
          patternErrorMessage: `Must be ${formOf(pattern)}.`,
        }
      : {};
  const length = keep(schema, ["minLength", "maxLength"]);
  if (Object.keys(length).length === 0) return { ...kept, ...matching };
  // How long a text is in the end is not known before its expressions are substituted.
  const bounded = expressions ? conditional({ type: "string", pattern: anyExpression }, ["else", length]) : length;
  return { ...kept, ...matching, ...bounded };
}

function keep(schema: SchemaPart["schema"], keywords: readonly string[]): JsonObject {
  return Object.fromEntries(
    keywords.flatMap((keyword) => {
      const value = schema[keyword];
      return isScalar(value) ? [[keyword, value]] : [];
    }),
  );
}

function membersOf({ schema, file }: SchemaPart, form: EditorForm): JsonObject {
  const { additionalProperties, if: condition, items, properties, propertyNames, required } = schema;
  const inner = (part: unknown): Json => editorForm(part as Json, file, form);
  const members = isObject(properties)
    ? Object.fromEntries(Object.entries(properties).map(([name, part]) => [name, inner(part)]))
    : null;
  const names = isObject(propertyNames) ? resolveSchema(propertyNames, file).schema : null;
  return {
    ...(members === null ? {} : { properties: members }),
    ...(Array.isArray(required) && required.length > 0 ? { required: required.map(textOf) } : {}),
    ...(additionalProperties === undefined ? {} : { additionalProperties: inner(additionalProperties) }),
    ...(names === null ? {} : keyForm(names)),
    ...(items === undefined ? {} : { items: inner(items) }),
    ...(isObject(condition) ? conditional(condition as JsonObject, ["then", inner(schema["then"])]) : {}),
    ...countOf(schema, members === null ? [] : Object.keys(members)),
  };
}

function keyForm({ pattern }: SchemaPart["schema"]): JsonObject {
  if (typeof pattern !== "string") return {};
  return { propertyNames: { pattern, patternErrorMessage: `The name must be ${formOf(pattern)}.` } };
}

/** How many members a map has: with exactly one of several, in words. */
function countOf(schema: SchemaPart["schema"], members: readonly string[]): JsonObject {
  if (schema["minProperties"] !== 1 || schema["maxProperties"] !== 1) return keep(schema, ["minProperties"]);
  const errorMessage = `Must have exactly one of ${members.join(", ")}.`;
  const others = (name: string): Json =>
    Object.fromEntries(members.filter((other) => other !== name).map((other) => [other, false]));
  return {
    anyOf: members.map((name) => ({ required: [name], errorMessage })),
    // Reported once, at the later member.
    dependencies: Object.fromEntries(
      members.slice(1).map((name) => [name, { properties: others(name), errorMessage }]),
    ),
  };
}

/** A traffic policy in a manifest: phases, or a file, or a string. */
function policyValue(found: SchemaPart, form: EditorForm): JsonObject {
  const { then } = found.schema;
  const { properties } = editorPolicy;
  const whenFile = editorForm(then as Json, found.file, form);
  const file = isObject(whenFile) && isObject(whenFile["properties"]) ? (whenFile["properties"]["file"] ?? {}) : {};
  return {
    ...typesOf(found.schema, form),
    ...conditional(
      { type: "object", required: ["file"] },
      ["then", whenFile],
      ["else", { properties: { ...(isObject(properties) ? properties : {}), file } }],
    ),
  };
}
