import { isCode } from "../diagnostics/codes.js";
import type { Problem } from "../diagnostics/diagnostic.js";
import { SecretMask } from "../diagnostics/hide-secrets.js";
import { type DocumentPath, isSensitive } from "../document-path.js";
import { type Json, type ValueObject, isObject } from "../json.js";
import { type KindName, addressOf, kindNames } from "../kinds/names.js";
import { manifestErrors } from "../schema/validate-manifest.js";
import type { ParsedDocument } from "../yaml/parsed-file.js";
import type { ParsedManifest } from "./parsed-manifest.js";
import { type LoadContext, resolveSpec } from "./resolve-spec.js";
import { specFieldsOf } from "./spec-fields.js";
import { type UntypedValue, fitTypes, substitute } from "./variables.js";

/** A document of a manifest file: a subject when its kind and name are known, and what is wrong with it. */
export interface ReadDocument {
  readonly manifest: ParsedManifest | null;
  readonly problems: readonly Problem[];
}

/**
 * Makes a manifest of a document: substitutes variables, checks it against its schema, reads the files that it names.
 * Null for a configuration, which may lie among the manifests.
 */
export async function readDocument(
  parsed: ParsedDocument,
  file: string,
  loading: LoadContext,
): Promise<ReadDocument | null> {
  const { start, end, content } = parsed;
  const document = { start, end, content };
  if (isObject(parsed.value) && parsed.value["kind"] === "Config") return null;

  const problems: Problem[] = [];
  const unresolved = new Set<string>();
  const untyped: UntypedValue[] = [];
  const substituted = substitute(
    parsed.value,
    loading.options,
    (problem, path) => {
      unresolved.add(JSON.stringify(path));
      const shown = isSensitive(path) && problem.code === "variable-expression" ? hiddenExpression : problem;
      problems.push({ ...shown, place: { file, document, path } });
    },
    (found) => untyped.push(found),
    (characters) => loading.budget.spend("substituted", characters),
  );
  loading.options.secrecy?.reveal(substituted);
  let errors = manifestErrors(substituted, loading.options.adopt);
  const value = fitTypes(substituted, untyped, errors);
  if (value !== substituted) errors = manifestErrors(value, loading.options.adopt);
  const mask = new SecretMask(value);
  const identity = identityOf(value);
  const address = identity === null ? null : addressOf(identity.kind, identity.name);
  for (const error of errors) {
    const { at, message, path, remedy, sensitive } = error;
    // A variable without a value has been reported as what it is.
    if (unresolved.has(JSON.stringify(path))) continue;
    const code = isCode(error.code) ? error.code : "bad-format";
    const hidden = sensitive || (code === "unknown-member" && takesSecret(identity?.kind, path));
    problems.push({
      code,
      message,
      remedy,
      sensitive: hidden,
      place: { file, document, path, at: keyWhenMissing(code, at) },
    });
  }
  if (identity === null || !isObject(value))
    return { manifest: null, problems: problems.map((problem) => mask.hideIn(problem)) };

  const written = isObject(value["spec"]) ? (value["spec"] as ValueObject) : {};
  const resolved = await resolveSpec(identity.kind, written, file, loading);
  const blamed = new Set(problems.flatMap(({ place }) => ("path" in place ? [JSON.stringify(place.path)] : [])));
  for (const { path, at, ...finding } of resolved.findings) {
    if (blamed.has(JSON.stringify(path))) continue;
    problems.push({ ...finding, place: { file, document, path, ...(at === undefined ? {} : { at }) } });
  }
  for (const { place } of problems) if ("path" in place) blamed.add(JSON.stringify(place.path));
  const sound = problems.length === 0 && resolved.elsewhere.length === 0;
  const subject: ParsedManifest = {
    file,
    document,
    ...identity,
    address: addressOf(identity.kind, identity.name),
    value,
    spec: resolved.spec,
    mask,
    blamed,
    sound,
  };
  const addressed = problems.map((problem) => ({ ...mask.hideIn(problem), address }));
  return { manifest: subject, problems: [...addressed, ...resolved.elsewhere] };
}

/** For an expression where a secret belongs: what stands in it may be one. */
const hiddenExpression: Omit<Problem, "place"> = {
  code: "variable-expression",
  message: "what stands between ${{ and }} is no expression",
};

/** Whether a member stands where a kind takes a secret: with an unknown name it may be just that. */
function takesSecret(kind: KindName | undefined, path: DocumentPath): boolean {
  if (kind === undefined) return false;
  const above = JSON.stringify(path.slice(0, -1));
  return specFieldsOf(kind).some(
    (place) => place.field.secret === true && JSON.stringify(["spec", ...place.path.slice(0, -1)]) === above,
  );
}

/** A missing member is shown at what should hold it. */
function keyWhenMissing(code: string, at: "key" | "value"): "key" | "value" {
  return code === "missing-member" ? "key" : at;
}

/** The kind and name of a document, as far as they can be told. */
function identityOf(value: Json): { readonly kind: KindName; readonly name: string } | null {
  if (!isObject(value) || !isObject(value["metadata"])) return null;
  const kind = kindNames.find((known) => known === value["kind"]);
  const { name } = value["metadata"];
  return kind === undefined || typeof name !== "string" || name === "" ? null : { kind, name };
}
