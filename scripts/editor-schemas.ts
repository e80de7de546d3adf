import { type Json, type JsonObject, isObject } from "../src/core/json.ts";
import { kindNames } from "../src/kinds/names.ts";
import { type EditorForm, editorForm } from "./editor-form.ts";
import { conditional, editorPolicy } from "./editor-policy.ts";
import { specFieldsOf } from "../src/schema/schema-part.ts";
import { schemaFile } from "../src/schema/schema-files.ts";
import { resolveSchema } from "../src/schema/schema-part.ts";

/** The schemas for editors, made from those of the validator. Each is whole, and each member has a line of its own. */
export function editorSchemaTexts(): { readonly [file: string]: string } {
  const schemas: { readonly [file: string]: JsonObject } = {
    "manifest.schema.json": manifestSchema(),
    "config.schema.json": documentSchema("Config"),
    "fleet.schema.json": documentSchema("Fleet"),
    "traffic-policy.schema.json": { ...head("Traffic policy of a file"), type: "object", ...editorPolicy },
  };
  return Object.fromEntries(Object.entries(schemas).map(([file, schema]) => [file, linesOf(shared(schema))]));
}

function linesOf(schema: JsonObject): string {
  const members = Object.entries(schema).map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`);
  return `{\n${members.join(",\n")}\n}\n`;
}

/** A schema whose larger parts that stand in it more than once are definitions, each named after its first member. */
function shared(schema: JsonObject): JsonObject {
  const counts = new Map<string, number>();
  const count = (part: Json): Json => {
    const text = JSON.stringify(part);
    const seen = counts.get(text) ?? 0;
    counts.set(text, seen + 1);
    return seen > 0 ? part : mapParts(part, count);
  };
  count(schema);
  const names = new Map<string, string>();
  const definitions: { [name: string]: Json } = {};
  const share = (part: Json, member: string): Json => {
    const text = JSON.stringify(part);
    if (text.length < 60 || (counts.get(text) ?? 0) < 2) return mapParts(part, share);
    let name = names.get(text);
    if (name === undefined) {
      const same = Object.keys(definitions).filter((each) => each.replace(/\d+$/, "") === member).length;
      name = same === 0 ? member : `${member}${same + 1}`;
      names.set(text, name);
      definitions[name] = true;
      definitions[name] = mapParts(part, share);
    }
    return { $ref: `#/definitions/${name}` };
  };
  const whole = mapParts(schema, share) as JsonObject;
  return names.size === 0 ? whole : { ...whole, definitions };
}

function mapParts(schema: Json, replace: (part: Json, member: string) => Json): Json {
  if (!isObject(schema)) return schema;
  const members = Object.entries(schema).map(([keyword, value = null]): [string, Json] => {
    if (/^(?:items|additionalProperties|then|else|if)$/.test(keyword)) return [keyword, replace(value, keyword)];
    if (Array.isArray(value) && /^(?:anyOf|allOf)$/.test(keyword))
      return [keyword, value.map((part: Json) => replace(part, keyword))];
    if (!isObject(value) || !/^(?:properties|dependencies)$/.test(keyword)) return [keyword, value];
    const named = Object.entries(value).map(([name, part = null]): [string, Json] => [name, replace(part, name)]);
    return [keyword, Object.fromEntries(named)];
  });
  return Object.fromEntries(members);
}

function head(what: string): JsonObject {
  return {
    $schema: "http://json-schema.org/draft-07/schema#",
    $comment: `${what}, for editors. Written by \`edgewise schema --out\`, which writes it anew. Not to be edited.`,
  };
}

function documentSchema(name: string): JsonObject {
  const file = schemaFile(name);
  const form: EditorForm = { expressions: false, fields: [] };
  const schema = editorForm({ $ref: `${file}#` }, file, form);
  return { ...head(name), ...(isObject(schema) ? schema : {}) };
}

/**
 * Each kind is a branch of its own, and so is a document of no known kind, so that every mistake is told once. They test the
 * kind with a pattern: language servers take the beginning of a constant for the whole.
 */
function manifestSchema(): JsonObject {
  const main = resolveSchema({ $ref: "manifest.schema.json#" }, "manifest.schema.json").schema;
  const kinds = kindNames.map((kind) => {
    const schema = kindSchema(kind);
    return conditional(hasKind(`^${kind}$`), ["then", schema]);
  });
  const { allOf: _kinds, ...rest } = main;
  const form: EditorForm = { expressions: true, fields: [] };
  const other = editorForm({ ...rest } as Json, "manifest.schema.json", form);
  const { allOf: _type, ...any } = isObject(other) ? other : {};
  return {
    ...head("Manifests"),
    title: "Manifest",
    description: "One resource that should exist. The kind determines the fields of its spec.",
    type: ["object", "null"],
    errorMessage: "Must be a map.",
    allOf: [
      ...kinds,
      conditional(hasKind(`^(${[...kindNames, "Config"].join("|")})$`), ["else", otherSchema(withKinds(any))]),
    ],
  };
}

/** Without a kind and an API version it may be the content of a field, or the beginning of a manifest. */
function otherSchema(schema: JsonObject): JsonObject {
  const { additionalProperties: _closed, required: _required, ...beginning } = schema;
  const isManifest = { anyOf: [{ required: ["apiVersion"] }, { required: ["kind"] }] };
  const start = { apiVersion: "edgewise/v1", kind: "$1", metadata: { name: "$2" }, spec: "$3" };
  return conditional(
    isManifest,
    ["then", schema],
    ["else", { ...beginning, defaultSnippets: [{ label: "Manifest", description: "A new resource.", body: start }] }],
  );
}

function hasKind(pattern: string): JsonObject {
  return { type: "object", properties: { kind: { title: "Kind", type: "string", pattern } }, required: ["kind"] };
}

function kindSchema(kind: string): JsonObject {
  const file = schemaFile(kind);
  const fields = specFieldsOf(file);
  const form: EditorForm = { expressions: true, fields };
  const schema = editorForm({ $ref: `${file}#` }, file, form);
  return withKinds(isObject(schema) ? schema : {});
}

function withKinds(schema: JsonObject): JsonObject {
  const described = kindNames.map(
    (kind) => resolveSchema({ $ref: `${schemaFile(kind)}#` }, schemaFile(kind)).schema["description"],
  );
  const listed: JsonObject = {
    enum: kindNames,
    enumDescriptions: described.map(String),
    errorMessage: `Must be one of ${kindNames.join(", ")}.`,
  };
  const properties = isObject(schema["properties"]) ? schema["properties"] : {};
  const kind = { title: "Kind", description: "The kind of resource.", ...listed };
  return { ...schema, properties: { ...properties, kind } };
}
