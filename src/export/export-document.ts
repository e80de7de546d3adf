import { type Value, type ValueObject, isObject, losesNothing } from "../core/json.js";
import { Document, visit } from "yaml";
import { escapeActive, guardRunner, isActive, safeJson, unicodeEscape, visibleLine } from "../core/visible.js";
import type { Codec, Field } from "../kinds/kind.js";
import { type Address, addressOf } from "../kinds/names.js";
import { plainMetadata } from "../kinds/marker.js";
import { type DocumentPath, showPath } from "../core/document-path.js";
import { SecretPolicy, documentOf, holdsSource, mapSecrets, policy } from "../kinds/policy.js";
import { kinds } from "../kinds/registry.js";
import { type ExportNames, type ExportedResource, referencesByName, resourceKey } from "./exported-resources.js";

export type ExportDocument = Readonly<{
  kind: ExportedResource["kind"];
  name: string;
  id: string;
  address: Address;
  manifest: Readonly<{ [member: string]: unknown; spec: { readonly [field: string]: unknown } }>;
  text: string;
  secrets: readonly NeededSecret[];
  warnings: readonly string[];
}>;

export type NeededSecret = Readonly<{
  variable: string;
  address: Address;
  field: string;
}>;

export type ExportFormat = "yaml" | "json";

export type ExportContext = Readonly<{
  names: ExportNames;
  variables: Set<string>;
  format: ExportFormat;
}>;

/** @param unfit fields to leave out, and why; added to */
export function exportDocument(
  resource: ExportedResource,
  { format, names, variables }: ExportContext,
  unfit: Map<string, string>,
): ExportDocument {
  const { kind, id, wire, own, otherStack } = resource;
  const name = names.byId.get(resourceKey(kind, id)) ?? id;
  const address = addressOf(kind, name);
  const spec: { [field: string]: unknown } = {};
  const secrets: NeededSecret[] = [];
  const warnings: string[] =
    otherStack === null
      ? []
      : [`${address} belongs to stack ${otherStack}; plan refuses it unless you pass --take-over`];
  const secretAt = (field: string, words: string): ValueObject => {
    const variable = variableName(words, variables);
    secrets.push({ variable, address, field });
    return { env: variable };
  };
  for (const [fieldName, field] of Object.entries(kinds[kind].fields)) {
    if (unfit.has(fieldName)) continue;
    const value = field.secret === true ? null : field.codec.fromWire(wire[fieldName]);
    const policy = isObject(value) ? Object.values(value).find((part) => part instanceof SecretPolicy) : undefined;
    if (policy !== undefined && documentFor(policy) === null) {
      unfit.set(fieldName, "its policy contains secrets and cannot be written as an object, without them");
      continue;
    }
    const sourceFor: SourceFor = (member, path, secret) => {
      const at = `${fieldName}.${member}`;
      if (path === undefined) return secretAt(at, `${name}_${fieldName}_${member}`);
      const called = path.findLast((step) => typeof step === "string") ?? "secret";
      const place = `${at} (${showPath(path)})`;
      if (typeof secret !== "string") warnings.push(`${place} of ${address} is no text, but would be sent as one`);
      return secretAt(place, `edge_${name}_${called}`);
    };
    const written =
      field.secret === true
        ? secretAt(fieldName, `${name}_${fieldName}`)
        : manifestValue(field, value, names, sourceFor);
    if (written !== undefined) spec[fieldName] = escapedExpressions(written);
  }
  const { deletion, replaced } = own ?? {};
  const ignore = [...unfit.keys()].filter((field) => kinds[kind].fields[field]?.unset !== "inherit");
  const leftOut = [...unfit].map(([field, why]) => {
    const remedy = ignore.includes(field)
      ? " To manage it, write it as validate accepts it and remove it from lifecycle.ignore."
      : "";
    return `${field} of ${address} is not in its manifest, and keeps its live value: ${why}.${remedy}`;
  });
  const lifecycle = {
    ...(deletion === undefined ? {} : { deletion }),
    ...(replaced === undefined ? {} : { replaced }),
    ...(ignore.length === 0 ? {} : { ignore: ignore.map((field) => `spec.${field}`) }),
  };
  const manifest = {
    apiVersion: "edgewise/v1",
    kind,
    metadata: { name, id },
    ...(Object.keys(lifecycle).length === 0 ? {} : { lifecycle }),
    spec,
  };
  const text = renderManifest(manifest, leftOut, format);
  return { kind, name, id, address, manifest, text, secrets, warnings: [...warnings, ...leftOut] };
}

function renderManifest(manifest: object, leftOut: readonly string[], format: ExportFormat): string {
  if (format === "json") return safeJson(manifest);
  const document = new Document(manifest, { aliasDuplicateObjects: false });
  visit(document, {
    Scalar: (_, node) => {
      // On one line and in quotes, everything can be escaped.
      if (typeof node.value === "string" && isActive(node.value)) node.type = "QUOTE_DOUBLE";
    },
  });
  const text = escapeActive(document.toString({ lineWidth: 0, doubleQuotedAsJSON: true }), unicodeEscape);
  return commentLines(leftOut) + text;
}

export function commentLines(lines: readonly string[]): string {
  return guardRunner(lines.map((line) => `# ${visibleLine(line)}\n`).join(""));
}

type SourceFor = (member: string, path?: DocumentPath, secret?: Value) => ValueObject;

export function manifestValue(field: Field, value: Value, names: ExportNames, sourceFor: SourceFor): unknown {
  if (value === null || value === "") return undefined;
  if (field.marker === true) {
    const text = plainMetadata(value);
    return holdsForbiddenKey(text) ? text : value;
  }
  if (field.module === undefined || !isObject(value)) return editableValue(field.codec, value, names);
  const members: { [member: string]: unknown } = {};
  for (const [memberName, { codec, secret }] of Object.entries(field.module.members)) {
    const part = value[memberName] ?? null;
    if (part === null || part === "" || (memberName === "enabled" && part === true)) continue;
    const document = part instanceof SecretPolicy ? documentFor(part) : null;
    if (document !== null)
      members[memberName] = mapSecrets(document, (inside, path) => sourceFor(memberName, path, inside));
    else if (secret === true) members[memberName] = sourceFor(memberName);
    else members[memberName] = editableValue(codec, part, names);
  }
  // Without any member the manifest would not have the module.
  return Object.keys(members).length === 0 ? { enabled: true } : members;
}

function variableName(words: string, taken: Set<string>): string {
  const text = words
    .replace(/_pem$/u, "")
    .toUpperCase()
    .replaceAll(/[^A-Z0-9]+/gu, "_");
  const wanted = /^[0-9]/u.test(text) ? `_${text}` : text;
  let variable = wanted;
  for (let count = 2; taken.has(variable); count++) variable = `${wanted}_${count}`;
  taken.add(variable);
  return variable;
}

function documentFor(policy: SecretPolicy): ValueObject | null {
  const { document } = policy;
  return document !== undefined && isObject(document) && roundTrips(policy.reveal(), document) ? document : null;
}

/** Lists are sets: what a service repeats is written once. */
function editableValue(codec: Codec, value: Value, names: ExportNames): unknown {
  if (codec === policy) return policyAsObject(value);
  const named = referencesByName(codec, value, names);
  const isSet = Array.isArray(named) && codec.references !== undefined;
  return isSet ? codec.fromManifest(named) : named;
}

export function policyAsObject(value: Value): unknown {
  const parsed = documentOf(value);
  if (typeof value !== "string" || !isObject(parsed) || !roundTrips(value, parsed)) return value;
  return policy.same(value, JSON.stringify(parsed)) === true ? parsed : value;
}

export function roundTrips(text: string, parsed: { readonly [member: string]: unknown }): boolean {
  // `{file: …}` would be read as the name of a file, and within a policy as the source of a secret.
  if (Object.keys(parsed).every((member) => member === "file") || holdsSource(parsed)) return false;
  // Numbers that JavaScript can't hold and repeated members don't survive.
  return !holdsForbiddenKey(text) && losesNothing(text);
}

function holdsForbiddenKey(json: string): boolean {
  return json.includes("__proto__");
}

export function escapedExpressions(value: unknown): unknown {
  if (typeof value === "string") return value.replaceAll("${{", () => "$${{");
  if (Array.isArray(value)) return value.map(escapedExpressions);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([member, part]) => [member, escapedExpressions(part)]));
}
