import type { SchemaPart } from "./resolve-schema.js";
import { insideOf } from "./resolve-schema.js";
import type { SchemaSet } from "./schema-files.js";

const typeNames: { readonly [type: string]: readonly [one: string, many: string] } = {
  string: ["text", "texts"],
  number: ["number", "numbers"],
  integer: ["whole number", "whole numbers"],
  boolean: ["true or false", "true or false"],
  array: ["list", "lists"],
  object: ["map", "maps"],
};

/** The type of a field in words: `text`, `list of texts or maps`, `map of texts`. Null is told elsewhere. */
export function typeWords(part: SchemaPart, schemas: SchemaSet, many = false): string {
  const types = [part.schema["type"] ?? []]
    .flat()
    .map(String)
    .filter((type) => type !== "null");
  if (types.length === 0) return many ? "values" : "any value";
  const { element, member } = insideOf(part, schemas);
  const named = types.map((type) => {
    const word = typeNames[type]?.[many ? 1 : 0] ?? type;
    const inside =
      type === "array" ? element : type === "object" && part.schema["properties"] === undefined ? member : null;
    return inside === null ? word : `${word} of ${typeWords(inside, schemas, true)}`;
  });
  return named.join(" or ");
}

/** Whether null may stand there. */
export function takesNull({ schema }: SchemaPart): boolean {
  return [schema["type"] ?? []].flat().includes("null");
}
