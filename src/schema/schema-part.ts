import { isObject } from "../core/json.js";
import { formOf, textOf } from "./hints.js";
import type { SchemaSet } from "./schema-files.js";

/** A fact about a field, in words. */
export type Fact = readonly [label: string, text: string];

/** A schema, and the file that its references are relative to. */
export interface SchemaPart {
  readonly schema: { readonly [keyword: string]: unknown };
  readonly file: string;
}

/** A schema with its reference followed; members beside `$ref` override those of its target. */
export function resolveSchema(part: unknown, file: string, schemas: SchemaSet): SchemaPart {
  if (!isObject(part)) return { schema: {}, file };
  const ref = part["$ref"];
  if (typeof ref !== "string") return { schema: part, file };
  const [path = "", pointer = ""] = ref.split("#");
  const target = path === "" ? file : path;
  let found: unknown = schemas.get(target);
  for (const step of pointer.split("/").slice(1)) found = isObject(found) ? found[step] : undefined;
  const resolved = resolveSchema(found, target, schemas);
  const { $ref: _ref, ...beside } = part;
  return { schema: { ...resolved.schema, ...beside }, file: resolved.file };
}

/** The resolved schemas of a part's named members. Forbidden members are left out. */
export function membersOf({ schema, file }: SchemaPart, schemas: SchemaSet): ReadonlyMap<string, SchemaPart> {
  const properties = schema["properties"];
  if (!isObject(properties)) return new Map();
  const named = Object.entries(properties).filter(([, part]) => part !== false);
  return new Map(named.map(([name, part]) => [name, resolveSchema(part, file, schemas)]));
}

/** The schema of a list's elements, or of a free map's members; null when there is none. */
export function insideOf(
  { schema, file }: SchemaPart,
  schemas: SchemaSet,
): { readonly element: SchemaPart | null; readonly member: SchemaPart | null } {
  const { items, additionalProperties } = schema;
  return {
    element: isObject(items) ? resolveSchema(items, file, schemas) : null,
    member: isObject(additionalProperties) ? resolveSchema(additionalProperties, file, schemas) : null,
  };
}

/** How the types of JSON Schema are called in messages. */
const typeNames: { readonly [type: string]: { readonly one: string; readonly many: string; readonly a: string } } = {
  string: { one: "text", many: "texts", a: "text" },
  number: { one: "number", many: "numbers", a: "a number" },
  integer: { one: "whole number", many: "whole numbers", a: "a whole number" },
  boolean: { one: "true or false", many: "true or false", a: "true or false" },
  array: { one: "list", many: "lists", a: "a list" },
  object: { one: "map", many: "maps", a: "a map" },
};

/** A value of a type, with its article: `a list`. */
export function oneOfType(type: string): string {
  return typeNames[type]?.a ?? type;
}

/** The type of a field in words: `text`, `list of texts or maps`, `map of texts`. Leaves out null: see `takesNull`. */
export function typeWords(part: SchemaPart, schemas: SchemaSet, many = false): string {
  const types = [part.schema["type"] ?? []]
    .flat()
    .map(String)
    .filter((type) => type !== "null");
  if (types.length === 0) return many ? "values" : "any value";
  const { element, member } = insideOf(part, schemas);
  const named = types.map((type) => {
    const word = typeNames[type]?.[many ? "many" : "one"] ?? type;
    const inside =
      type === "array" ? element : type === "object" && part.schema["properties"] === undefined ? member : null;
    return inside === null ? word : `${word} of ${typeWords(inside, schemas, true)}`;
  });
  return named.join(" or ");
}

/** Whether the value may be null. */
function takesNull({ schema }: SchemaPart): boolean {
  return [schema["type"] ?? []].flat().includes("null");
}

/** Where a field is: in a resource's `spec`, elsewhere in what people write, or in the output of a command. */
export interface FieldStatus {
  readonly required: boolean;
  readonly of: "spec" | "input" | "output";
}

/** The facts about a field besides its description, as label and text. */
export function factsOf(part: SchemaPart, status: FieldStatus | null, schemas: SchemaSet): readonly Fact[] {
  const { schema } = part;
  const facts: Fact[] = [["Type", typeWords(part, schemas) + (takesNull(part) ? ", or null" : "")]];
  if (status !== null) facts.push(["Required", status.required ? "yes" : "no"]);
  const fallback = defaultOf(schema);
  if (fallback !== null) facts.push(["Default", fallback]);
  const shown = status?.of !== "output";
  facts.push(...constraintsOf(schema, shown));
  const { element } = insideOf(part, schemas);
  const each = element === null ? [] : constraintsOf(element.schema, shown).map(([, text]) => text);
  if (each.length > 0) facts.push(["Each", each.join("; ")]);
  const names = shown ? constraintsOf(resolveSchema(schema["propertyNames"], part.file, schemas).schema, true) : [];
  if (names.length > 0) facts.push(["Names", names.map(([, text]) => text).join("; ")]);
  if (status?.of === "spec") facts.push(["Set", setBy(schema)]);
  return facts;
}

/** What a value must be besides its type. */
function constraintsOf(schema: SchemaPart["schema"], withForm: boolean): readonly Fact[] {
  const found: Fact[] = [];
  const values = Array.isArray(schema["enum"]) ? schema["enum"].filter((value) => value !== null) : [];
  if (values.length > 0) found.push(["Values", values.join(", ")]);
  if (schema["const"] !== undefined) found.push(["Value", textOf(schema["const"])]);
  if (typeof schema["pattern"] === "string" && withForm) found.push(["Form", formOf(schema["pattern"])]);
  const limits = limitsOf(schema);
  if (limits !== "") found.push(["Limits", limits]);
  return found;
}

function defaultOf(schema: SchemaPart["schema"]): string | null {
  if (schema["x-inherits"] === true) return "the live value";
  if (!("default" in schema)) return null;
  return schema["default"] === null ? "none" : JSON.stringify(schema["default"]);
}

function limitsOf(schema: SchemaPart["schema"]): string {
  const { minimum, maximum, minLength, maxLength, maxBytes, minProperties, maxProperties, maxItems, uniqueItems } =
    schema;
  const limits: string[] = [];
  if (minimum !== undefined && maximum !== undefined) limits.push(`${textOf(minimum)} to ${textOf(maximum)}`);
  else if (minimum !== undefined) limits.push(`at least ${textOf(minimum)}`);
  else if (maximum !== undefined) limits.push(`at most ${textOf(maximum)}`);
  if (maxBytes !== undefined) limits.push(`at most ${textOf(maxBytes)} bytes of UTF-8`);
  else if (maxLength !== undefined) limits.push(`at most ${textOf(maxLength)} characters`);
  if (minLength !== undefined) limits.push("not empty");
  if (minProperties === 1 && maxProperties === 1) limits.push("exactly one member");
  if (maxItems !== undefined) limits.push(`at most ${textOf(maxItems)} entries`);
  if (uniqueItems === true) limits.push("no duplicates");
  return limits.join("; ");
}

/** When a field can be set, and from where. */
function setBy(schema: SchemaPart["schema"]): string {
  const secret = schema["writeOnly"] === true;
  if (schema["x-immutable"] !== true)
    return secret ? "at any time, from outside of the manifest; never shown" : "at any time";
  if (secret) return "when the resource is created, from outside of the manifest; never shown";
  return "when the resource is created; another value makes a new one that takes its place";
}
