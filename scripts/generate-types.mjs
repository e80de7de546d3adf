import { compile } from "json-schema-to-typescript";

/** Schemas say these things, too, and types need none of them. */
const left = ["$id", "title", "description", "default", "maxItems", "if", "then"];

/**
 * One schema with everything that it refers to: `definitions.schema.json#/$defs/x` becomes `#/$defs/x`.
 * Members beside a `$ref` are left out, because each use would become its own type.
 */
function selfContained(schema, definitions) {
  const { $id: _id, $schema: _schema, ...whole } = { ...schema, $defs: { ...definitions.$defs, ...schema.$defs } };
  return mapSchema(whole, (part) => {
    if (typeof part.$ref === "string") return { $ref: part.$ref.replace("definitions.schema.json#", "#") };
    return Object.fromEntries(Object.entries(part).filter(([keyword]) => !left.includes(keyword)));
  });
}

/** The schema with `change` applied to every schema in it, innermost first. Member names are never read as keywords. */
function mapSchema(schema, change) {
  if (typeof schema !== "object") return schema;
  const next = { ...schema };
  for (const key of ["properties", "$defs"]) {
    const parts = Object.entries(next[key] ?? {}).map(([name, part]) => [name, mapSchema(part, change)]);
    if (next[key] !== undefined) next[key] = Object.fromEntries(parts);
  }
  for (const key of ["items", "additionalProperties", "propertyNames"])
    if (next[key] !== undefined) next[key] = mapSchema(next[key], change);
  return change(next);
}

export async function generateTypes(schemas) {
  const definitions = schemas.get("definitions.schema.json");
  const files = {};
  for (const slug of ["config", "fleet"]) {
    const name = `${slug === "config" ? "Config" : "Fleet"}Document`;
    files[`${slug}-types.ts`] = await compile(selfContained(schemas.get(`${slug}.schema.json`), definitions), name, {
      additionalProperties: true,
      bannerComment: "",
      format: true,
      strictIndexSignatures: true,
      style: { printWidth: 120 },
      unknownAny: true,
      unreachableDefinitions: false,
    });
  }
  return files;
}
