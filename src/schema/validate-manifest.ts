import { type SchemaCode, schemaCodes } from "../diagnostics/codes.js";
import { suggest } from "../diagnostics/suggest.js";
import type { DocumentPath } from "../document-path.js";
import { manifestMembers } from "../generated/manifest-members.js";
import * as validators from "../generated/manifest-validators.js";
import { isObject } from "../json.js";
import { type KindName, kindNames, moduleKinds } from "../kinds/names.js";
import { type MemberIndex, fieldsBelow, isField } from "./members.js";
import { collectErrors, mostErrors } from "./schema-errors.js";
import type { SchemaError, Validator } from "./validator.js";

const byKind: { readonly [K in KindName]: Validator } = validators;

/**
 * What a manifest (one YAML document, variables already substituted) says against the schema of its kind.
 * Empty = valid: the document then has the type `ManifestDocument`. Semantic checks are not made here.
 * @param adopt the configuration's ids by address, which stand in for `metadata.id`
 */
export function manifestErrors(
  document: unknown,
  adopt: { readonly [address: string]: string } = {},
): readonly SchemaError[] {
  if (!isObject(document)) return [problem([], "not-a-map", "the document is not a map of members")];
  const kind = document["kind"];
  if (!isKind(kind)) return [unknownKind(document)];
  const members = manifestMembers[kind] ?? {};
  const errors = collectErrors(byKind[kind], document, members);
  return [...errors, ...missingIdErrors(document, kind, adopt), ...ignoredFieldErrors(document, kind, members)];
}

/** Modules belong to something that exists elsewhere: manifest or configuration must say to what. */
function missingIdErrors(
  document: { readonly [member: string]: unknown },
  kind: KindName,
  adopt: { readonly [address: string]: string },
): readonly SchemaError[] {
  const metadata = document["metadata"];
  if (!(moduleKinds as readonly string[]).includes(kind) || !isObject(metadata)) return [];
  if ((metadata["id"] ?? null) !== null || Object.hasOwn(adopt, `${kind}/${String(metadata["name"])}`)) return [];
  const remedy = "Add the id of the existing edge or route, here or under adopt: in the configuration.";
  return [problem(["metadata"], "missing-member", "metadata.id is missing", remedy)];
}

function isKind(kind: unknown): kind is KindName {
  return typeof kind === "string" && (kindNames as readonly string[]).includes(kind);
}

function unknownKind(document: { readonly [member: string]: unknown }): SchemaError {
  const kind = document["kind"];
  const kinds = `Known kinds: ${kindNames.join(", ")}.`;
  if (kind === undefined || kind === null) return problem([], "unknown-kind", "kind is missing", kinds);
  if (kind === "Config") {
    const remedy = "Name only manifests and their folders under manifests: in the configuration, or with -f.";
    return problem(["kind"], "unknown-kind", "this is a configuration, not a manifest", remedy);
  }
  const near = typeof kind === "string" ? suggest(kind, kindNames) : null;
  const shown = typeof kind === "string" && kind.length <= 80 ? ` ${JSON.stringify(kind)}` : "";
  return problem(["kind"], "unknown-kind", `there is no kind${shown}`, near === null ? kinds : `Did you mean ${near}?`);
}

/** `lifecycle.ignore` must name fields that there are: a misspelt one would ignore nothing, silently. */
function ignoredFieldErrors(
  document: { readonly [member: string]: unknown },
  kind: KindName,
  members: MemberIndex,
): readonly SchemaError[] {
  const lifecycle = document["lifecycle"];
  const ignore = isObject(lifecycle) ? lifecycle["ignore"] : null;
  if (!Array.isArray(ignore)) return [];
  const errors: SchemaError[] = [];
  for (const [index, field] of ignore.entries()) {
    if (typeof field !== "string" || !field.startsWith("spec.") || isField(members, field.split("."))) continue;
    const near = suggest(field, fieldsBelow(members, "spec"));
    const message = `${kind} has no field ${field}`;
    if (errors.length >= mostErrors) break;
    const remedy = near === null ? undefined : `Did you mean ${near}?`;
    errors.push(problem(["lifecycle", "ignore", index], "unknown-ignored-field", message, remedy));
  }
  return errors;
}

function problem(path: DocumentPath, code: SchemaCode, message: string, remedy?: string): SchemaError {
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
