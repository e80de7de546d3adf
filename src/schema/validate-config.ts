import { schemaCodes } from "../diagnostics/codes.js";
import { configMembers } from "../generated/config-members.js";
import { Config as validator } from "../generated/config-validator.js";
import { isObject } from "../json.js";
import { kindNames } from "../kinds/names.js";
import { collectErrors } from "./schema-errors.js";
import type { SchemaError } from "./validator.js";

/** What a configuration says against its schema. Empty = valid: it then has the type `ConfigDocument`. */
export function configErrors(document: unknown): readonly SchemaError[] {
  if (!isObject(document)) return [notAConfig("not-a-map", "the configuration is not a map of members")];
  const kind = document["kind"];
  if (typeof kind === "string" && (kindNames as readonly string[]).includes(kind)) {
    const remedy = "Name this file under manifests: in the configuration, or with -f.";
    return [notAConfig("unknown-kind", "this is a manifest, not a configuration", remedy)];
  }
  return collectErrors(validator, document, configMembers);
}

function notAConfig(code: "not-a-map" | "unknown-kind", message: string, remedy?: string): SchemaError {
  const path = code === "unknown-kind" ? ["kind"] : [];
  return {
    path,
    at: "value",
    keyword: "",
    params: {},
    code,
    message,
    remedy: remedy ?? schemaCodes[code].remedy,
    sensitive: false,
  };
}
