import { compile } from "json-schema-to-typescript";
import { manifestSchemas } from "./manifest-schemas.mjs";
import { mapSchema, without } from "./map-schema.mjs";

/**
 * One schema with everything that it refers to: `definitions.schema.json#/$defs/x` becomes `#/$defs/x`.
 * Members beside a `$ref` (a default, another description) are left out, because each use would become its own type.
 */
function selfContained(schema, definitions) {
  const { $id: _id, $schema: _schema, ...whole } = { ...schema, $defs: { ...definitions.$defs, ...schema.$defs } };
  return mapSchema(without(whole, ["title", "if", "then"]), (part) => {
    if (typeof part.$ref === "string") return { $ref: part.$ref.replace("definitions.schema.json#", "#") };
    const { $id: _inner, ...rest } = part;
    return rest;
  });
}

async function typesOf(schema, name) {
  return compile(schema, name, {
    additionalProperties: true,
    bannerComment: "",
    format: true,
    strictIndexSignatures: true,
    style: { printWidth: 120 },
    unknownAny: true,
    unreachableDefinitions: false,
  });
}

/** Types of manifests (one union over the kinds) and of the files for people: configuration and fleet. */
export async function generateTypes(schemas) {
  const definitions = schemas.get("definitions.schema.json");
  const kinds = manifestSchemas(schemas).map(({ kind, id }) => [kind, schemas.get(id)]);
  const manifest = selfContained(
    {
      description: "A manifest as YAML gives it, valid by its schema, variables substituted.",
      oneOf: kinds.map(([kind]) => ({ $ref: `#/$defs/${kind}` })),
      $defs: Object.fromEntries(kinds),
    },
    definitions,
  );
  const files = { "manifest-types.ts": await typesOf(manifest, "ManifestDocument") };
  for (const [slug, name] of [
    ["config", "ConfigDocument"],
    ["fleet", "FleetDocument"],
  ]) {
    const schema = schemas.get(`${slug}.schema.json`);
    if (schema !== undefined) files[`${slug}-types.ts`] = await typesOf(selfContained(schema, definitions), name);
  }
  return files;
}
