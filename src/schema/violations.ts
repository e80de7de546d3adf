import { isObject } from "../core/json.js";
import type { DocumentPath } from "../core/document-path.js";
import { patterns } from "../generated/schemas.js";
import { type SchemaPart, resolveSchema } from "./schema-part.js";

export type SchemaViolation = Readonly<{
  path: DocumentPath;
  keyword: string;
  /** What the keyword asks for; of an item that is there twice, both indexes. */
  wanted: unknown;
  /** The member that is missing or unknown, or whose name breaks the schema. */
  member?: string;
}>;

type Violations = readonly SchemaViolation[];

const none: Violations = [];

/** Allowed in what later versions may have written. */
type UnknownMembers = "refused" | "allowed";

type Node = SchemaPart &
  Readonly<{
    types: readonly unknown[];
    rules: readonly (readonly [keyword: string, wanted: unknown, rule: Rule])[];
  }>;

/** What a value breaks of `plan.schema.json`, `state.schema.json#/$defs/stack`, …; it knows the keywords that these have. */
export function violationsOf(ref: string, value: unknown, unknownMembers: UnknownMembers = "refused"): Violations {
  const { schema, file } = resolveSchema({ $ref: ref }, "");
  return check(schema, file, value, unknownMembers);
}

function check(part: unknown, file: string, value: unknown, unknownMembers: UnknownMembers): Violations {
  if (part === false) return [violation("false schema", false)];
  if (!isObject(part)) return none;
  const node = nodeOf(part, file);
  if (node.types.length > 0 && !hasType(value, node.types)) {
    // One of a few texts is text.
    const keyword = ["const", "enum"].find((each) => each in node.schema) ?? "type";
    return [violation(keyword, node.schema[keyword])];
  }
  let found = none;
  for (const [keyword, wanted, rule] of node.rules) {
    const outcome = rule(value, wanted, node, unknownMembers);
    if (outcome === false) found = [...found, violation(keyword, wanted)];
    else if (outcome !== true && outcome.length > 0) found = [...found, ...outcome];
  }
  return found;
}

const nodes = new WeakMap<object, Node>();

function nodeOf(part: object, file: string): Node {
  const known = nodes.get(part);
  if (known !== undefined) return known;
  const resolved = resolveSchema(part, file);
  const rules = Object.entries(resolved.schema).flatMap(([keyword, wanted]) => {
    const rule = ruleOf[keyword];
    return rule === undefined ? [] : [[keyword, wanted, rule] as const];
  });
  const node = { ...resolved, types: [resolved.schema["type"] ?? []].flat(), rules };
  nodes.set(part, node);
  return node;
}

function violation(keyword: string, wanted: unknown, member?: string): SchemaViolation {
  return { path: [], keyword, wanted, ...(member === undefined ? {} : { member }) };
}

function hasType(value: unknown, types: readonly unknown[]): boolean {
  const type = value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
  // JSON has no other numbers.
  if (type === "number" && !Number.isFinite(value)) return false;
  return types.includes(type) || (Number.isInteger(value) && types.includes("integer"));
}

/** Whether a value keeps a keyword, or what it breaks; values of types that the keyword is not for keep it. */
type Rule = (value: unknown, wanted: unknown, at: SchemaPart, unknownMembers: UnknownMembers) => boolean | Violations;

const ruleOf: { readonly [keyword: string]: Rule } = {
  const: (value, wanted) => value === wanted,
  enum: (value, wanted) => itemsOf(wanted).includes(value),
  minimum: (value, limit) => typeof value !== "number" || value >= Number(limit),
  maximum: (value, limit) => typeof value !== "number" || value <= Number(limit),
  minLength: (value, limit) => typeof value !== "string" || value.length >= Number(limit),
  // The service counts bytes where it can; `maxLength` beside it is for editors.
  maxLength: (value, limit, { schema }) =>
    typeof value !== "string" ||
    "maxBytes" in schema ||
    value.length <= Number(limit) ||
    [...value].length <= Number(limit),
  maxBytes: (value, limit) => typeof value !== "string" || Buffer.byteLength(value) <= Number(limit),
  pattern: (value, source) => typeof value !== "string" || patterns[String(source)]?.test(value) === true,
  minItems: (value, limit) => !Array.isArray(value) || value.length >= Number(limit),
  maxItems: (value, limit) => itemsOf(value).length <= Number(limit),
  uniqueItems: (value) => {
    const texts = itemsOf(value).map((item) => JSON.stringify(item));
    if (new Set(texts).size === texts.length) return true;
    const again = texts.findIndex((text, index) => texts.indexOf(text) < index);
    return [violation("uniqueItems", [texts.indexOf(texts[again] ?? ""), again])];
  },
  items: (value, part, at, unknown) => {
    const items = itemsOf(value);
    return inside(items.keys(), (index) => check(part, at.file, items[index], unknown));
  },
  minProperties: (value, limit) => !isObject(value) || namesOf(value).length >= Number(limit),
  maxProperties: (value, limit) => namesOf(value).length <= Number(limit),
  required: (value, names) => (isObject(value) ? missing("required", names, value) : true),
  dependentRequired: (value, parts) =>
    isObject(value) ? dependent(value, parts, (names) => missing("dependentRequired", names, value)) : true,
  dependentSchemas: (value, parts, at, unknown) =>
    dependent(value, parts, (part) => check(part, at.file, value, unknown)),
  properties: (value, parts, at, unknown) =>
    inside(namesOf(value), (name) => check(own(parts, name), at.file, own(value, name), unknown)),
  additionalProperties: (value, part, at, unknown) => {
    const { properties } = at.schema;
    const others = namesOf(value).filter((name) => own(properties, name) === undefined);
    if (part !== false) return inside(others, (name) => check(part, at.file, own(value, name), unknown));
    return unknown === "allowed" || others.map((name) => violation("additionalProperties", part, name));
  },
  propertyNames: (value, part, at, unknown) =>
    namesOf(value).flatMap((name) => check(part, at.file, name, unknown).map((found) => ({ ...found, member: name }))),
  if: (value, part, at, unknown) =>
    check(part, at.file, value, unknown).length > 0 || check(at.schema["then"], at.file, value, unknown),
  oneOf: (value, parts, at, unknown) =>
    itemsOf(parts).filter((part) => check(part, at.file, value, unknown).length === 0).length === 1,
};

/** What is broken below several steps. */
function inside<Step extends string | number>(steps: Iterable<Step>, broken: (step: Step) => Violations): Violations {
  let all = none;
  for (const step of steps) {
    const found = broken(step);
    if (found.length > 0) all = [...all, ...found.map((each) => ({ ...each, path: [step, ...each.path] }))];
  }
  return all;
}

function itemsOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Members that are undefined are not written. */
function namesOf(value: unknown): readonly string[] {
  if (!isObject(value)) return [];
  const names = Object.keys(value);
  return names.every((name) => value[name] !== undefined) ? names : names.filter((name) => value[name] !== undefined);
}

function own(parts: unknown, name: string): unknown {
  return isObject(parts) && Object.hasOwn(parts, name) ? parts[name] : undefined;
}

function missing(keyword: string, names: unknown, value: object): Violations {
  const absent = itemsOf(names).filter((name) => own(value, String(name)) === undefined);
  return absent.map((name) => violation(keyword, names, String(name)));
}

/** What the parts for members that are there find. */
function dependent(value: unknown, parts: unknown, found: (part: unknown) => Violations): Violations {
  return namesOf(parts).flatMap((name) => (own(value, name) === undefined ? [] : found(own(parts, name))));
}
