import { isObject } from "../json.js";
import type { SchemaSet } from "./schema-files.js";

/** A schema and the file that its references are relative to. */
export interface SchemaPart {
  readonly schema: { readonly [keyword: string]: unknown };
  readonly file: string;
}

/** The schema that a part stands for: its reference followed, what stands beside the reference laid over it. */
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

/** The schemas of a part's named members, resolved. Members that are forbidden are left out. */
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
