import { compile } from "json-schema-to-typescript";
import { mapSchema, without } from "./map-schema.mjs";

/** Schemas say these things, too, and types need none of them. */
const left = ["title", "description", "default", "maxItems", "if", "then"];

/**
 * One schema with everything that it refers to: `definitions.schema.json#/$defs/x` becomes `#/$defs/x`.
 * Members beside a `$ref` are left out, because each use would become its own type.
 */
function selfContained(schema, definitions) {
  const { $id: _id, $schema: _schema, ...whole } = { ...schema, $defs: { ...definitions.$defs, ...schema.$defs } };
  return mapSchema(without(whole, left), (part) => {
    if (typeof part.$ref === "string") return { $ref: part.$ref.replace("definitions.schema.json#", "#") };
    const { $id: _inner, ...rest } = part;
    return rest;
  });
}

/** Types of the files that people write: configuration and fleet. */
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
