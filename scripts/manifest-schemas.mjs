/** Kind and id of each kind's schema, in the order of manifest.schema.json. */
export function manifestSchemas(schemas) {
  return schemas.get("manifest.schema.json").allOf.map((branch) => ({
    kind: branch.if.properties.kind.const,
    id: branch.then.$ref,
  }));
}
