import type { DocumentPath } from "../core/document-path.js";
import { type SchemaPart, insideOf, membersOf, resolveSchema } from "./schema-part.js";

/** The members that a schema names at a path in a document. Empty where any member is allowed. */
export function membersAt(file: string, path: DocumentPath): readonly string[] {
  let at: SchemaPart | null = rootOf(file);
  for (const step of path) {
    at =
      typeof step === "number"
        ? insideOf(at, "items")
        : (membersOf(at).get(step) ?? insideOf(at, "additionalProperties"));
    if (at === null) return [];
  }
  return [...membersOf(at).keys()];
}

/** Whether a path is a field of the schema, or below a field that takes any value. */
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

/** The paths of all fields of a kind's spec, but for those in lists and free maps. */
export function specFieldsOf(file: string): readonly string[] {
  const below = (part: SchemaPart, path: string): readonly string[] =>
    [...membersOf(part)].flatMap(([name, inner]) => [`${path}.${name}`, ...below(inner, `${path}.${name}`)]);
  const spec = membersOf(rootOf(file)).get("spec");
  return spec === undefined ? [] : below(spec, "spec");
}

function rootOf(file: string): SchemaPart {
  return resolveSchema({ $ref: file }, "");
}
