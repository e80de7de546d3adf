import { manifestMembers } from "../generated/members.js";
import { type Json, type JsonObject, isObject } from "../core/json.js";
import { kindNames } from "../kinds/names.js";
import { type EditorForm, type Suggested, editorForm } from "./editor-form.js";
import { anything, conditional, editorPolicy, suggestedOnly } from "./editor-policy.js";
import { fieldsBelow } from "./members.js";
import { type SchemaSet, readSchemas, schemaFile } from "./schema-files.js";
import { resolveSchema } from "./schema-part.js";

/** Resources that manifests describe: the file of each, by kind and name. */
export interface KnownNames {
  readonly [kind: string]: { readonly [name: string]: string };
}

/** The schemas that editors load, by file name. Each is whole: it refers to no other file. */
export const editorSchemaFiles = {
  manifest: "manifest.schema.json",
  config: "config.schema.json",
  fleet: "fleet.schema.json",
  policy: "traffic-policy.schema.json",
} as const;

/**
 * Makes the schemas for editors from those of the validator, and puts the names of resources in as suggestions. The same
 * input gives the same text; each name has a line of its own, so that changes of two branches merge.
 */
export async function editorSchemas(known: KnownNames): Promise<ReadonlyMap<string, string>> {
  const [manifests, config, fleet] = ["manifest", "Config", "Fleet"].map(readSchemas);
  const texts: readonly (readonly [string, JsonObject])[] = [
    [editorSchemaFiles.manifest, manifestSchema(manifests ?? new Map(), known)],
    [editorSchemaFiles.config, documentSchema("Config", config ?? new Map(), known)],
    [editorSchemaFiles.fleet, documentSchema("Fleet", fleet ?? new Map(), known)],
    [editorSchemaFiles.policy, { ...head("Traffic policy of a file"), type: "object", ...editorPolicy }],
  ];
  return new Map(texts.map(([file, schema]) => [file, textOf(schema)]));
}

/** One line for each kind, member and name: whole lines are all that merges and differences need. */
function textOf(schema: JsonObject): string {
  return `${linesOf(schema)}\n`;
}

function linesOf(schema: JsonObject): string {
  const members = Object.entries(schema).map(
    ([keyword, value]) => `${JSON.stringify(keyword)}: ${memberText(keyword, value ?? null)}`,
  );
  return inLines("{", members, "}");
}

function memberText(keyword: string, value: Json): string {
  if (Array.isArray(value)) return inLines("[", value.map(oneLine), "]");
  const inner = { definitions: linesOf, properties: oneLine }[keyword];
  if (inner === undefined || !isObject(value)) return oneLine(value);
  const named = Object.entries(value).map(
    ([name, each]) => `${JSON.stringify(name)}: ${isObject(each) ? inner(each) : oneLine(each)}`,
  );
  return inLines("{", named, "}");
}

function oneLine(value: unknown): string {
  return JSON.stringify(value);
}

function inLines(open: string, lines: readonly string[], close: string): string {
  return lines.length === 0 ? open + close : `${open}\n${lines.join(",\n")}\n${close}`;
}

/** The schema with those of the lists of names that it refers to. */
function withNames(schema: JsonObject, known: KnownNames): JsonObject {
  const text = JSON.stringify(schema);
  const used = Object.entries(nameLists(known)).filter(([name]) => text.includes(`"#/definitions/${name}"`));
  return used.length === 0 ? schema : { ...schema, definitions: Object.fromEntries(used) };
}

const writtenBy = "Written by `edgewise schema --out`, which writes it anew. Not to be edited.";

function head(what: string): JsonObject {
  return { $schema: "http://json-schema.org/draft-07/schema#", $comment: `${what}, for editors. ${writtenBy}` };
}

/** Whether a file is one of these schemas, of whatever version. */
export function isEditorSchema(text: string): boolean {
  return text.slice(0, 1000).includes(writtenBy);
}

/** A configuration or a fleet: one document without expressions. */
function documentSchema(name: string, schemas: SchemaSet, known: KnownNames): JsonObject {
  const file = schemaFile(name);
  const form: EditorForm = { schemas, expressions: false, suggestions: suggestionsOf(known, []) };
  const schema = editorForm({ $ref: `${file}#` }, file, form);
  return withNames({ ...head(name), ...(isObject(schema) ? schema : {}) }, known);
}

/**
 * Manifests of all kinds. Each kind is a branch of its own, and so is a document of no known kind, so that every mistake is
 * told once. The branches test the kind with a pattern: while somebody types, language servers take the beginning of a
 * constant for the whole.
 */
function manifestSchema(schemas: SchemaSet, known: KnownNames): JsonObject {
  const main = resolveSchema({ $ref: "manifest.schema.json#" }, "manifest.schema.json", schemas).schema;
  const kinds = kindNames.map((kind) => {
    const schema = kindSchema(kind, schemas, known);
    return conditional(hasKind(`^${kind}$`), ["then", schema]);
  });
  const { allOf: _kinds, ...rest } = main;
  const form: EditorForm = { schemas, expressions: true, suggestions: () => null };
  const other = editorForm({ ...rest } as Json, "manifest.schema.json", form);
  const { allOf: _type, ...any } = isObject(other) ? other : {};
  const manifest: JsonObject = {
    ...head("Manifests"),
    title: "Manifest",
    description: "One resource that should exist. The kind determines the fields of its spec.",
    // A document may be empty.
    type: ["object", "null"],
    errorMessage: "Must be a map.",
    allOf: [
      ...kinds,
      conditional(hasKind(`^(${[...kindNames, "Config"].join("|")})$`), ["else", otherSchema(withKinds(any, schemas))]),
    ],
  };
  return withNames(manifest, known);
}

/**
 * The schema of a document of no known kind. Without a kind and an API version it may be something that a manifest names as
 * the content of a field, or the beginning of a manifest.
 */
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

function kindSchema(kind: string, schemas: SchemaSet, known: KnownNames): JsonObject {
  const file = schemaFile(kind);
  const fields = fieldsBelow(manifestMembers[kind] ?? {}, "spec");
  const form: EditorForm = { schemas, expressions: true, suggestions: suggestionsOf(known, fields) };
  const schema = editorForm({ $ref: `${file}#` }, file, form);
  return withKinds(isObject(schema) ? schema : {}, schemas);
}

/** The schema with all kinds to choose from, each with what it is. */
function withKinds(schema: JsonObject, schemas: SchemaSet): JsonObject {
  const described = kindNames.map(
    (kind) => resolveSchema({ $ref: `${schemaFile(kind)}#` }, schemaFile(kind), schemas).schema["description"],
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

/** References to the lists of names, which stand once in each file. */
function suggestionsOf(known: KnownNames, fields: readonly string[]): EditorForm["suggestions"] {
  const lists = nameLists(known);
  return (what: Suggested) => {
    if (what === "fields") return fields.length === 0 ? null : suggestedOnly(fields);
    const list = typeof what === "string" ? what : what.namesOf;
    return list in lists ? { $ref: `#/definitions/${list}` } : null;
  };
}

function nameLists(known: KnownNames): JsonObject {
  const kinds = kindNames.filter((kind) => Object.keys(known[kind] ?? {}).length > 0);
  if (kinds.length === 0) return {};
  const addresses = kinds
    .flatMap((kind) => filesOf(known, kind).map(([name, file]) => [`${kind}/${name}`, file] as const))
    .toSorted(byName);
  return {
    ...Object.fromEntries(kinds.map((kind) => [kind, nameList(filesOf(known, kind))])),
    addresses: nameList(addresses),
    addressMembers: {
      properties: Object.fromEntries(
        addresses.map(([address, file]) => [address, { description: file, ...anything }] as const),
      ),
    },
  };
}

function filesOf(known: KnownNames, kind: string): readonly (readonly [string, string])[] {
  return Object.entries(known[kind] ?? {}).toSorted(byName);
}

function byName([a]: readonly [string, string], [b]: readonly [string, string]): number {
  return a < b ? -1 : 1;
}

function nameList(entries: readonly (readonly [string, string])[]): JsonObject {
  return suggestedOnly(
    entries.map(([name]) => name),
    entries.map(([, file]) => file),
  );
}
