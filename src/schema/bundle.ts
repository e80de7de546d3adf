import { isObject, type Json, type JsonObject } from "../json.js";
import { schemaFile, type SchemaSet } from "./schema-files.js";

/**
 * A schema as one document without references to other files: what those define stands under `$defs`, named
 * `file.definition`. It can be saved anywhere and used by anything that knows JSON Schema 2020-12.
 */
export function bundle(name: string, schemas: SchemaSet): JsonObject {
  const root = schemaFile(name);
  const { $id: _id, $defs, ...schema } = schemas.get(root) ?? {};
  const definitions: { [name: string]: Json } = {};
  const queue: string[] = [];
  const localize = (value: Json | undefined, file: string): Json =>
    rewriteRefs(value ?? null, (ref) => {
      const [path = "", pointer = ""] = ref.split("#");
      const target = path === "" ? file : path;
      if (target === root && pointer !== "") return `#${pointer}`;
      const key = `${target.replace(".schema.json", "")}${pointer.replace("/$defs/", ".")}`;
      if (definitions[key] === undefined) {
        definitions[key] = true;
        queue.push(key);
      }
      return `#/$defs/${key}`;
    });
  const whole = localize(schema, root);
  for (const [key, definition] of Object.entries(isObject($defs) ? $defs : {}))
    definitions[key] = localize(definition, root);
  for (let key = queue.shift(); key !== undefined; key = queue.shift()) {
    const [base = "", definition] = key.split(".");
    const file = `${base}.schema.json`;
    const { $id: _inner, $schema: _schema, ...found } = partOf(schemas.get(file), definition);
    definitions[key] = localize(found, file);
  }
  const sorted = Object.fromEntries(Object.entries(definitions).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  const bundled = isObject(whole) ? whole : {};
  return Object.keys(sorted).length === 0 ? bundled : { ...bundled, $defs: sorted };
}

function partOf(schema: JsonObject | undefined, definition: string | undefined): JsonObject {
  if (schema === undefined) throw new RangeError("a schema refers to a file that was not read");
  if (definition === undefined) return schema;
  const definitions = schema["$defs"];
  const part = isObject(definitions) ? definitions[definition] : undefined;
  if (!isObject(part)) throw new RangeError(`a schema refers to the definition ${definition}, which is not there`);
  return part;
}

/** The value with every `$ref` replaced. */
function rewriteRefs(value: Json, change: (ref: string) => string): Json {
  if (Array.isArray(value)) return value.map((item: Json) => rewriteRefs(item, change));
  if (!isObject(value)) return value;
  const members = Object.entries(value).map(([name, part]) => [
    name,
    name === "$ref" && typeof part === "string" ? change(part) : rewriteRefs(part ?? null, change),
  ]);
  return Object.fromEntries(members) as JsonObject;
}
