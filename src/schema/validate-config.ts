import { isObject } from "../core/json.js";
import { kindNames } from "../kinds/names.js";
import { collectErrors } from "./schema-errors.js";
import { type SchemaError, schemaError } from "./validator.js";

/** Without errors it has the type `ConfigDocument`. */
export function configErrors(document: unknown): readonly SchemaError[] {
  if (!isObject(document)) return [schemaError("not-a-map", "the configuration is not a map of members")];
  const kind = document["kind"];
  if (typeof kind === "string" && (kindNames as readonly string[]).includes(kind)) {
    const remedy = "List this file under `manifests` in the configuration, or name it with -f.";
    return [schemaError("unknown-kind", "this is a manifest, not a configuration", { path: ["kind"], remedy })];
  }
  return collectErrors("config.schema.json", document);
}
