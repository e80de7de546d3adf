import { didYouMean } from "../diagnostics/suggest.js";
import { isObject } from "../core/json.js";
import { type KindName, isKindName, kindNames, moduleKinds } from "../kinds/names.js";
import { isField, specFieldsOf } from "./schema-part.js";
import { type SchemaError, collectErrors, mostErrors, schemaError } from "./schema-errors.js";
import { schemaFile } from "./schema-files.js";

type Document = { readonly [member: string]: unknown };

/** The errors of a manifest with variables substituted. `adopt` may replace `metadata.id`. */
export function manifestErrors(
  document: unknown,
  adopt: { readonly [address: string]: string } = {},
): readonly SchemaError[] {
  if (!isObject(document)) return [schemaError("not-a-map", "the document is not a map of members")];
  const { kind } = document;
  if (!isKindName(kind)) return [unknownKind(document)];
  return [
    ...collectErrors(schemaFile(kind), document),
    ...missingIdErrors(document, kind, adopt),
    ...ignoredFieldErrors(document, kind),
  ];
}

function missingIdErrors(
  { metadata }: Document,
  kind: KindName,
  adopt: { readonly [address: string]: string },
): readonly SchemaError[] {
  if (!(moduleKinds as readonly string[]).includes(kind) || !isObject(metadata)) return [];
  if ((metadata["id"] ?? null) !== null || Object.hasOwn(adopt, `${kind}/${String(metadata["name"])}`)) return [];
  const remedy = "Add the id of the existing edge or route, here or under `adopt` in the configuration.";
  return [schemaError("missing-member", "metadata.id is missing", { path: ["metadata"], remedy })];
}

function unknownKind({ apiVersion, kind }: Document): SchemaError {
  if (typeof apiVersion === "string" && apiVersion.length <= 80 && !/edgewise|^v?\d/iu.test(apiVersion)) {
    const remedy = "Leave this file out of `manifests`, or move it to another directory.";
    const message = `this is a manifest of another tool: its apiVersion is ${JSON.stringify(apiVersion)}`;
    return schemaError("unknown-kind", message, { path: ["apiVersion"], remedy });
  }
  const known = `Known kinds: ${kindNames.join(", ")}.`;
  if (typeof kind !== "string") return schemaError("unknown-kind", "kind is missing", { remedy: known });
  if (kind === "Config") {
    const remedy = "List only manifests under `manifests` or with -f.";
    return schemaError("unknown-kind", "this is a configuration, not a manifest", { path: ["kind"], remedy });
  }
  const shown = kind.length <= 80 ? ` ${JSON.stringify(kind)}` : "";
  const remedy = didYouMean(kind, kindNames) ?? known;
  return schemaError("unknown-kind", `there is no kind${shown}`, { path: ["kind"], remedy });
}

/** A misspelt field would silently ignore nothing. */
function ignoredFieldErrors({ lifecycle }: Document, kind: KindName): readonly SchemaError[] {
  const ignore: unknown = isObject(lifecycle) ? lifecycle["ignore"] : null;
  if (!Array.isArray(ignore)) return [];
  const unknown = (ignore as readonly unknown[]).flatMap((field, index) =>
    typeof field !== "string" || !field.startsWith("spec.") || isField(schemaFile(kind), field.split("."))
      ? []
      : [{ field, index }],
  );
  return unknown.slice(0, mostErrors).map(({ field, index }) => {
    const remedy = didYouMean(field, specFieldsOf(schemaFile(kind)));
    const path = ["lifecycle", "ignore", index];
    const more = remedy === null ? {} : { remedy };
    return schemaError("unknown-ignored-field", `${kind} has no field ${field}`, { path, ...more });
  });
}

/** Without errors it has the type `ConfigDocument`. */
export function configErrors(document: unknown): readonly SchemaError[] {
  if (!isObject(document)) return [schemaError("not-a-map", "the configuration is not a map of members")];
  const kind = document["kind"];
  if (isKindName(kind)) {
    const remedy = "List this file under `manifests`, or name it with -f.";
    return [schemaError("unknown-kind", "this is a manifest, not a configuration", { path: ["kind"], remedy })];
  }
  return collectErrors("config.schema.json", document);
}

/** Without errors it has the type `FleetDocument`. */
export function fleetErrors(document: unknown): readonly SchemaError[] {
  if (!isObject(document)) return [schemaError("not-a-map", "the fleet file is not a map of members")];
  const kind = document["kind"];
  if (typeof kind !== "string" || kind === "Fleet") return collectErrors("fleet.schema.json", document);
  const [message, remedy] =
    kind === "Config"
      ? ["this is the configuration of one stack", "Name the fleet file; `config` of an entry there names this one."]
      : ["this is not a fleet file", "Name a file whose kind is Fleet; `edgewise explain Fleet` shows what it holds."];
  return [schemaError("unknown-kind", message, { path: ["kind"], remedy })];
}
