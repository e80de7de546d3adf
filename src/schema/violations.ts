import { isObject } from "../core/json.js";
import type { DocumentPath } from "../core/document-path.js";
import { patterns } from "../generated/schemas.js";
import { type SchemaPart, resolveSchema } from "./schema-part.js";

export type SchemaViolation = Readonly<{
  path: DocumentPath;
  keyword: string;
  /** Of an item that is there twice, both indexes. */
  wanted: unknown;
  /** That is missing or unknown, or has a wrong name. */
  member?: string | undefined;
}>;

type Violations = readonly SchemaViolation[];

/** What later versions have written may have more members. */
type At = SchemaPart & Readonly<{ unknownMembers: "refused" | "allowed" }>;

/** What a value breaks of `plan.schema.json`, `state.schema.json#/$defs/stack`, … */
export function violationsOf(
  ref: string,
  value: unknown,
  unknownMembers: At["unknownMembers"] = "refused",
): Violations {
  return check({ $ref: ref }, { schema: {}, file: "", unknownMembers }, value);
}

function check(part: unknown, { file, unknownMembers }: At, value: unknown): Violations {
  if (part === false) return [violation("false schema", false)];
  const at = { ...resolveSchema(part, file), unknownMembers };
  const types = [at.schema["type"] ?? []].flat();
  if (types.length > 0 && !hasType(value, types)) {
    // One of a few texts is text.
    const keyword = ["const", "enum"].find((each) => each in at.schema) ?? "type";
    return [violation(keyword, at.schema[keyword])];
  }
  const found: SchemaViolation[] = [];
  for (const [keyword, wanted] of Object.entries(at.schema)) {
    const outcome = ruleOf[keyword]?.(value, wanted, at) ?? true;
    if (outcome === false) found.push(violation(keyword, wanted));
    else if (outcome !== true) found.push(...outcome);
  }
  return found;
}

function violation(keyword: string, wanted: unknown, member?: string): SchemaViolation {
  return { path: [], keyword, wanted, member };
}

function hasType(value: unknown, types: readonly unknown[]): boolean {
  const type = value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
  if (type === "number" && !Number.isFinite(value)) return false;
  return types.includes(type) || (Number.isInteger(value) && types.includes("integer"));
}

/** Whether a value keeps a keyword, as values of other types do, or what it breaks. */
type Rule = (value: unknown, wanted: unknown, at: At) => boolean | Violations;

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
  items: (value, part, at) => inside(itemsOf(value).keys(), (index) => check(part, at, itemsOf(value)[index])),
  minProperties: (value, limit) => !isObject(value) || namesOf(value).length >= Number(limit),
  maxProperties: (value, limit) => namesOf(value).length <= Number(limit),
  required: (value, names) => (isObject(value) ? missing("required", names, value) : true),
  dependentRequired: (value, parts) =>
    dependent(value, parts, (names) => missing("dependentRequired", names, Object(value))),
  dependentSchemas: (value, parts, at) => dependent(value, parts, (part) => check(part, at, value)),
  properties: (value, parts, at) => inside(namesOf(value), (name) => check(own(parts, name), at, own(value, name))),
  additionalProperties: (value, part, at) => {
    const { properties } = at.schema;
    const others = namesOf(value).filter((name) => own(properties, name) === undefined);
    if (part !== false) return inside(others, (name) => check(part, at, own(value, name)));
    return at.unknownMembers === "allowed" || others.map((name) => violation("additionalProperties", part, name));
  },
  propertyNames: (value, part, at) =>
    namesOf(value).flatMap((name) => check(part, at, name).map((found) => ({ ...found, member: name }))),
  if: (value, part, at) => check(part, at, value).length > 0 || check(at.schema["then"], at, value),
  oneOf: (value, parts, at) => itemsOf(parts).filter((part) => check(part, at, value).length === 0).length === 1,
};

function inside<Step extends string | number>(steps: Iterable<Step>, broken: (step: Step) => Violations): Violations {
  return [...steps].flatMap((step) => broken(step).map((each) => ({ ...each, path: [step, ...each.path] })));
}

function itemsOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function namesOf(value: unknown): readonly string[] {
  if (!isObject(value)) return [];
  return Object.keys(value).filter((name) => value[name] !== undefined);
}

function own(parts: unknown, name: string): unknown {
  return isObject(parts) && Object.hasOwn(parts, name) ? parts[name] : undefined;
}

function missing(keyword: string, names: unknown, value: object): Violations {
  const absent = itemsOf(names).filter((name) => own(value, String(name)) === undefined);
  return absent.map((name) => violation(keyword, names, String(name)));
}

function dependent(value: unknown, parts: unknown, found: (part: unknown) => Violations): Violations {
  return namesOf(parts).flatMap((name) => (own(value, name) === undefined ? [] : found(own(parts, name))));
}
