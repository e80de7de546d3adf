import type { DocumentPath } from "../core/document-path.js";
import { isObject } from "../core/json.js";
import { addressExample, kindNames } from "../kinds/names.js";
import { readSchema } from "./schema-files.js";

export type Fact = readonly [label: string, text: string];

/** `file`: what its references are relative to. */
export type SchemaPart = Readonly<{
  schema: { readonly [keyword: string]: unknown };
  file: string;
}>;

const resolved = new WeakMap<object, SchemaPart>();

/** Members beside `$ref` override those of its target. */
export function resolveSchema(part: unknown, file: string): SchemaPart {
  if (!isObject(part)) return { schema: {}, file };
  const known = resolved.get(part);
  if (known !== undefined) return known;
  const { $ref: ref, ...beside } = part;
  if (typeof ref !== "string") return { schema: part, file };
  const [path = "", pointer = ""] = ref.split("#");
  const target = path === "" ? file : path;
  let found: unknown = readSchema(target);
  for (const step of pointer.split("/").slice(1)) found = isObject(found) ? found[step] : undefined;
  const followed = resolveSchema(found, target);
  const isAlone = Object.keys(beside).length === 0;
  const whole = isAlone ? followed : { schema: { ...followed.schema, ...beside }, file: followed.file };
  resolved.set(part, whole);
  return whole;
}

export function membersOf({ schema, file }: SchemaPart): ReadonlyMap<string, SchemaPart> {
  const { properties } = schema;
  const named = Object.entries(isObject(properties) ? properties : {}).filter(([, part]) => part !== false);
  return new Map(named.map(([name, part]) => [name, resolveSchema(part, file)]));
}

export function insideOf({ schema, file }: SchemaPart, keyword: "items" | "additionalProperties"): SchemaPart | null {
  const inside = schema[keyword];
  return isObject(inside) ? resolveSchema(inside, file) : null;
}

export function partAt(file: string, path: DocumentPath): SchemaPart | null {
  let at: SchemaPart | null = rootOf(file);
  for (const step of path) {
    if (at === null) return null;
    at = typeof step === "number" ? insideOf(at, "items") : memberOf(at, step);
  }
  return at;
}

/** Empty where any is allowed. */
export function membersAt(file: string, path: DocumentPath): readonly string[] {
  const at = partAt(file, path);
  return at === null ? [] : [...membersOf(at).keys()];
}

/** A named member, or any one of a free map. */
export function memberOf(part: SchemaPart, name: string): SchemaPart | null {
  return membersOf(part).get(name) ?? insideOf(part, "additionalProperties");
}

/** Whether a path is a field, or below one that takes any value. */
export function isField(file: string, path: readonly string[]): boolean {
  let at = rootOf(file);
  for (const step of path) {
    const next = membersOf(at).get(step);
    if (next === undefined)
      return [at.schema["type"]].flat().includes("object") && at.schema["additionalProperties"] !== false;
    at = next;
  }
  return true;
}

/** But for those in lists and free maps. */
export function specFieldsOf(file: string): readonly string[] {
  const below = (part: SchemaPart, path: string): readonly string[] =>
    [...membersOf(part)].flatMap(([name, inner]) => [`${path}.${name}`, ...below(inner, `${path}.${name}`)]);
  const spec = membersOf(rootOf(file)).get("spec");
  return spec === undefined ? [] : below(spec, "spec");
}

function rootOf(file: string): SchemaPart {
  return resolveSchema({ $ref: file }, "");
}

const typeNames: { readonly [type: string]: readonly [one: string, many: string, a: string] } = {
  string: ["text", "texts", "text"],
  number: ["number", "numbers", "a number"],
  integer: ["whole number", "whole numbers", "a whole number"],
  boolean: ["true or false", "true or false", "true or false"],
  array: ["list", "lists", "a list"],
  object: ["map", "maps", "a map"],
};

export function oneOfType(type: string): string {
  return typeNames[type]?.[2] ?? type;
}

function typesOf({ schema }: SchemaPart): readonly string[] {
  return [schema["type"] ?? []].flat().map(String);
}

/** `text`, `list of texts or maps`, `map of texts`. Leaves out null. */
export function typeWords(part: SchemaPart, many = false): string {
  const types = typesOf(part).filter((type) => type !== "null");
  if (types.length === 0) return many ? "values" : "any value";
  const isFree = part.schema["properties"] === undefined;
  const named = types.map((type) => {
    const word = typeNames[type]?.[many ? 1 : 0] ?? type;
    const keyword = type === "array" ? "items" : type === "object" && isFree ? "additionalProperties" : null;
    const inside = keyword === null ? null : insideOf(part, keyword);
    return inside === null ? word : `${word} of ${typeWords(inside, true)}`;
  });
  return named.join(" or ");
}

/** `of` a resource's `spec`, elsewhere in what people write, or of an output. */
export function factsOf(part: SchemaPart, required: boolean, of: "spec" | "input" | "output"): readonly Fact[] {
  const { schema, file } = part;
  const isWritten = of !== "output";
  const inWords = (inside: SchemaPart["schema"] | undefined): string =>
    constraintsOf(inside ?? {}, isWritten)
      .map(([, text]) => text)
      .join("; ");
  const preset = schema["default"];
  const stated = preset === null ? "none" : JSON.stringify(preset ?? "");
  const fallback = schema["x-inherits"] === true ? "the live value" : preset === undefined ? "" : stated;
  return filled([
    ["Type", typeWords(part) + (typesOf(part).includes("null") ? ", or null" : "")],
    ["Required", required ? "yes" : "no"],
    ["Default", fallback],
    ...constraintsOf(schema, isWritten),
    ["Each", inWords(insideOf(part, "items")?.schema)],
    ["Names", inWords(isWritten ? resolveSchema(schema["propertyNames"], file).schema : {})],
    ["Set", of === "spec" ? setBy(schema) : ""],
  ]);
}

function constraintsOf(schema: SchemaPart["schema"], withForm: boolean): readonly Fact[] {
  const { enum: values, const: value, pattern } = schema;
  return filled([
    ["Values", Array.isArray(values) ? values.filter((each) => each !== null).join(", ") : ""],
    ["Value", textOf(value)],
    ["Form", typeof pattern === "string" && withForm ? formOf(pattern) : ""],
    ["Limits", limitsOf(schema)],
  ]);
}

function filled(facts: readonly Fact[]): readonly Fact[] {
  return facts.filter(([, text]) => text !== "");
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

function setBy(schema: SchemaPart["schema"]): string {
  const immutable = schema["x-immutable"] === true;
  const when = immutable ? "when the resource is created" : "at any time";
  if (schema["writeOnly"] === true) return `${when}, from outside of the manifest; never shown`;
  return immutable ? `${when}; another value makes a new one that takes its place` : when;
}

const forms: { readonly [pattern: string]: string } = {
  "^[a-z0-9]([a-z0-9-]*[a-z0-9])?$": "a name: lower-case letters, digits and '-', with a letter or digit at both ends",
  "^[a-z0-9]([a-z0-9._-]*[a-z0-9])?$":
    "a name: lower-case letters, digits, '-', '.' and '_', with a letter or digit at both ends",
  "^[A-Za-z0-9_][A-Za-z0-9_.:~-]*$": "an id as the service gives it, such as edgtls_2KJ7mZQvJ1w",
  "^[A-Za-z_][A-Za-z0-9_]*$":
    "the name of an environment variable: letters, digits and '_', not beginning with a digit",
  "^(?!EDGEWISE_)[A-Za-z_][A-Za-z0-9_]*$":
    "the name of an environment variable that doesn't begin with EDGEWISE_: letters, digits and '_'",
  "^[0-9]+\\.[0-9]+$": 'a TLS version in quotes, such as "1.2"',
  "^spec\\.[^.]+(\\.[^.]+)*$": "the path of a field, beginning with spec., such as spec.description",
  "^(spec|metadata)(\\.|$)": "the path of a field, such as spec.description",
  "^\\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])$": 'a day in quotes, such as "2027-03-31"',
  [`^(${kindNames.join("|")})/[^\\s/]+$`]: `an address: a kind, a slash and a name, such as ${addressExample}`,
  "^[0-9]+(\\.[0-9]+)?(ms|s|m|h)$": "a duration such as 500ms, 30s, 5m or 1h",
  "^([0-9]|[1-9][0-9]|100)%$": "a whole number or a percentage from 0% to 100%",
  "^[!#$%&'*+.^_`|~0-9A-Za-z-]+$": "the name of an HTTP header",
  "^[A-Za-z_][A-Za-z0-9_-]*$":
    "the name of a variable: letters, digits, '_' and '-', not beginning with a digit or '-'",
  "^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$":
    "the name of an environment: letters, digits, '-', '.' and '_', with a letter or digit at both ends",
  "^[^\\s\\p{C}~^:?*\\[\\]\\\\/]+$":
    "a name that can be part of a Git ref: without blanks, /, ~, ^, :, ?, *, brackets and backslashes",
  "^[^\\s\\p{C}~^:?*\\[\\\\]+$": "the name of a branch or tag",
  "^[0-9]+(\\.[0-9]+)?(ms|s|m|h|d)$": "a duration such as 30s, 10m, 1h or 90d",
  "^([0-9a-f]{40}|[0-9a-f]{64})$": "the full id of a commit: 40 or 64 hexadecimal digits",
  "^(\\[[0-9A-Fa-f:.]+\\]|[0-9A-Za-z.-]+):[0-9]{1,5}$": "a host and a port, such as 127.0.0.1:7070 or [::1]:7070",
  "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}(:[0-9]{2}(\\.[0-9]{1,9})?)?(Z|[+-][0-9]{2}:[0-9]{2})$":
    "a time such as 2026-12-01T00:00:00Z",
  "^[^\\s\\p{C}](.*[^\\s\\p{C}])?$": "the name of a stack, without blanks at its ends and without control characters",
};

export function formOf(pattern: string): string {
  return forms[pattern] ?? `text that matches ${pattern}`;
}

export function textOf(value: unknown): string {
  if (value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}
