import { didYouMean, suggest } from "../diagnostics/suggest.js";
import { showPath } from "../core/document-path.js";
import { manifestMembers } from "../generated/members.js";
import * as validators from "../generated/manifest-validators.js";
import { isObject } from "../core/json.js";
import { type KindName, isKindName, kindNames, moduleKinds } from "../kinds/names.js";
import { type MemberIndex, fieldsBelow, isField } from "./members.js";
import { collectErrors, mostErrors } from "./schema-errors.js";
import { type SchemaError, type Validator, schemaError } from "./validator.js";

const byKind: { readonly [K in KindName]: Validator } = validators;

/**
 * The errors of a manifest (one YAML document, variables already substituted) by the schema of its kind.
 * Without errors the document has the type `ManifestDocument`. Rules that a schema can't state are in manifest/checks/.
 * @param adopt the configuration's ids by address, which may replace `metadata.id`
 */
export function manifestErrors(
  document: unknown,
  adopt: { readonly [address: string]: string } = {},
): readonly SchemaError[] {
  if (Array.isArray(document)) {
    const remedy = "Write each item as a document of its own, with a line --- between them.";
    return [schemaError("not-a-map", "the document is a list, not a manifest", { remedy })];
  }
  if (typeof document === "string" && terraform.test(document)) {
    const remedy =
      "Write it as a manifest; `edgewise export --from-tfstate FILE` writes manifests of what a Terraform state names.";
    return [schemaError("not-a-map", "this is Terraform's language, not YAML", { remedy })];
  }
  if (!isObject(document)) return [schemaError("not-a-map", "the document is not a map of members")];
  const kind = document["kind"];
  if (!isKindName(kind)) return [unknownKind(document)];
  const members = manifestMembers[kind] ?? {};
  const errors = collectErrors(byKind[kind], document, members);
  const missing = missingIdErrors(document, kind, adopt);
  const ignored = ignoredFieldErrors(document, kind, members);
  return missing.length === 0 && ignored.length === 0 ? errors : [...errors, ...missing, ...ignored];
}

const none: readonly SchemaError[] = [];

/** The beginning of a block of Terraform. */
const terraform = /^(?:resource|data|module|variable|output|provider|locals|terraform)(?: "[^"]*"){0,2} \{/u;

/** Module kinds manage parts of an existing edge or route: manifest or configuration must give its id. */
function missingIdErrors(
  document: { readonly [member: string]: unknown },
  kind: KindName,
  adopt: { readonly [address: string]: string },
): readonly SchemaError[] {
  if (!(moduleKinds as readonly string[]).includes(kind)) return none;
  const metadata = document["metadata"];
  if (!isObject(metadata)) return none;
  if ((metadata["id"] ?? null) !== null || Object.hasOwn(adopt, `${kind}/${String(metadata["name"])}`)) return [];
  const remedy = "Add the id of the existing edge or route, here or under `adopt` in the configuration.";
  return [schemaError("missing-member", "metadata.id is missing", { path: ["metadata"], remedy })];
}

function unknownKind(document: { readonly [member: string]: unknown }): SchemaError {
  const kind = document["kind"];
  const known = `Known kinds: ${kindNames.join(", ")}.`;
  const version = document["apiVersion"];
  if (typeof version === "string" && version.length <= 80 && !/edgewise|^v?\d/iu.test(version)) {
    const remedy = "Leave this file out of `manifests` in the configuration, or move it to another directory.";
    const message = `this is a manifest of another tool: its apiVersion is ${JSON.stringify(version)}`;
    return schemaError("unknown-kind", message, { path: ["apiVersion"], remedy });
  }
  if (kind === "List" && Array.isArray(document["items"])) {
    const remedy = "Write each item as a document of its own, with a line --- between them.";
    return schemaError("unknown-kind", "manifests are not put into a List", { path: ["kind"], remedy });
  }
  if (kind === undefined || kind === null) {
    const near = Object.keys(document).find((name) => name !== "kind" && suggest(name, ["kind"]) !== null);
    if (near !== undefined && near.length <= 80) {
      const message = `kind is missing: ${showPath([near])} is not known`;
      return schemaError("unknown-kind", message, { path: [near], at: "key", remedy: "Rename it to kind." });
    }
    return schemaError("unknown-kind", "kind is missing", {
      remedy: `Add the line kind: with one of ${kindNames.join(", ")}.`,
    });
  }
  const path = ["kind"];
  if (kind === "Config") {
    const remedy = "List only manifests and their directories under `manifests` in the configuration, or with -f.";
    return schemaError("unknown-kind", "this is a configuration, not a manifest", { path, remedy });
  }
  const meant = typeof kind === "string" ? kindMeant(kind) : null;
  const shown = typeof kind === "string" && kind.length <= 80 ? ` ${JSON.stringify(kind)}` : "";
  return schemaError("unknown-kind", `there is no kind${shown}`, { path, remedy: meant ?? known });
}

/** The kind with a similar name, or the kinds whose names contain the word. */
function kindMeant(kind: string): string | null {
  const containing = kindNames.filter((name) => name.toLowerCase().endsWith(kind.toLowerCase()));
  if (kind !== "" && containing.length > 1) return `Did you mean ${containing.join(" or ")}?`;
  return didYouMean(kind, kindNames);
}

/** `lifecycle.ignore` must name existing fields: a misspelt one would silently ignore nothing. */
function ignoredFieldErrors(
  document: { readonly [member: string]: unknown },
  kind: KindName,
  members: MemberIndex,
): readonly SchemaError[] {
  const lifecycle = document["lifecycle"];
  const ignore = isObject(lifecycle) ? lifecycle["ignore"] : null;
  if (!Array.isArray(ignore)) return none;
  const errors: SchemaError[] = [];
  for (const [index, field] of ignore.entries()) {
    if (typeof field !== "string" || !field.startsWith("spec.") || isField(members, field.split("."))) continue;
    if (errors.length >= mostErrors) break;
    const path = ["lifecycle", "ignore", index];
    const remedy = didYouMean(field, fieldsBelow(members, "spec"));
    const message = `${kind} has no field ${field}`;
    errors.push(schemaError("unknown-ignored-field", message, { path, ...(remedy === null ? {} : { remedy }) }));
  }
  return errors;
}
