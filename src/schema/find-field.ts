import { kindNames } from "../kinds/names.js";
import { type SchemaSet, schemaFile } from "./schema-files.js";
import { type SchemaPart, insideOf, membersOf, resolveSchema } from "./schema-part.js";

/** No field that people look for lies deeper. */
const deepest = 6;

/**
 * Where a schema has fields of a name, at any depth, the least deep first: `TLSEdge.tls_termination.min_version`. As
 * `explain` takes them, without `spec`.
 * @param word in any case and with any separators
 * @param name one of `schemaNames`
 */
export function fieldsNamed(word: string, name: string, schemas: SchemaSet): readonly string[] {
  const asked = simplify(word);
  const found: string[] = [];
  const file = schemaFile(name);
  let level: readonly (readonly [path: string, part: SchemaPart])[] = [
    [name, resolveSchema(schemas.get(file), file, schemas)],
  ];
  for (let depth = 0; depth < deepest && level.length > 0; depth += 1) {
    level = level.flatMap(([path, part]) =>
      [...membersOf(elementOf(part, schemas), schemas)].map(
        ([member, inside]) => [`${path}.${member}`, inside] as const,
      ),
    );
    for (const [path] of level) {
      if (simplify(path.slice(path.lastIndexOf(".") + 1)) === asked) found.push(withoutSpec(path, name));
    }
  }
  return found;
}

/** The schema of the elements of a list (of lists); the part itself when it is not a list. */
export function elementOf(part: SchemaPart, schemas: SchemaSet): SchemaPart {
  const { element } = insideOf(part, schemas);
  return element === null ? part : elementOf(element, schemas);
}

function withoutSpec(path: string, name: string): string {
  const start = `${name}.spec.`;
  const isKind = (kindNames as readonly string[]).includes(name);
  return isKind && path.startsWith(start) ? `${name}.${path.slice(start.length)}` : path;
}

function simplify(word: string): string {
  return word.toLowerCase().replaceAll(/[-_]/g, "");
}
