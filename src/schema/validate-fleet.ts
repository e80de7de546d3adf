import { isObject } from "../core/json.js";
import { collectErrors } from "./schema-errors.js";
import { type SchemaError, schemaError } from "./validator.js";

/** Without errors it has the type `FleetDocument`. */
export function fleetErrors(document: unknown): readonly SchemaError[] {
  if (!isObject(document)) return [schemaError("not-a-map", "the fleet file is not a map of members")];
  const kind = document["kind"];
  if (typeof kind !== "string" || kind === "Fleet") return collectErrors("fleet.schema.json", document);
  // People give the file that they know, which is that of one stack.
  const [message, remedy] =
    kind === "Config"
      ? ["this is the configuration of one stack", "Name the fleet file; `config` of an entry there names this one."]
      : ["this is not a fleet file", "Name a file whose kind is Fleet; `edgewise explain Fleet` shows what it holds."];
  return [schemaError("unknown-kind", message, { path: ["kind"], remedy })];
}
