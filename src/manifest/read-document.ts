import { codes, isCode } from "../diagnostics/codes.js";
import { type DocumentPlace, type Problem, placeInDocument } from "../diagnostics/diagnostic.js";
import { LineIndex } from "../diagnostics/line-index.js";
import { type DocumentPath, isSensitive } from "../core/document-path.js";
import { type Json, type ValueObject, isObject } from "../core/json.js";
import { type KindName, addressOf, isKindName } from "../kinds/names.js";
import { manifestErrors } from "../schema/validate-manifest.js";
import type { SchemaError } from "../schema/validator.js";
import type { ParsedDocument } from "../yaml/parsed-file.js";
import type { LoadRun } from "./load-run.js";
import type { ManifestProblem, ParsedManifest } from "./parsed-manifest.js";
import { type ResolvedSpec, resolveSpec } from "./resolve-spec.js";
import { policiesOf, specFieldsOf } from "./spec-fields.js";
import { type UntypedValue, fitTypes, substitute } from "./variables.js";

/** A file of manifests. */
export interface SourceFile {
  /** Relative to the root. */
  readonly path: string;
  readonly lines: LineIndex;
}

/** A file of manifests with its text. @param path relative to the root */
export function sourceFile(path: string, text: string): SourceFile {
  return { path, lines: new LineIndex(text) };
}

/** The problems of a document, and its manifest when its kind and name are known. */
export interface ReadDocument {
  readonly manifest: ParsedManifest | null;
  readonly problems: readonly Problem[];
}

/**
 * Turns a document into a manifest: substitutes variables, checks it against its schema, and reads the files that it
 * names.
 * @returns null for a configuration, which may be among the manifests
 */
export async function readDocument(
  parsed: ParsedDocument,
  source: SourceFile,
  run: LoadRun,
): Promise<ReadDocument | null> {
  if (isObject(parsed.value) && parsed.value["kind"] === "Config") return null;
  const { problems, value } = checkedValue(parsed, source, run);
  const identity = identityOf(value);
  if (identity === null || !isObject(value)) {
    return { manifest: null, problems };
  }

  const { id, kind, name, previousNames } = identity;
  const spec = isObject(value["spec"]) ? (value["spec"] as ValueObject) : {};
  const file = source.path;
  const written: ParsedManifest = {
    file,
    line: source.lines.position(parsed.content).line,
    document: parsed,
    kind,
    name,
    address: addressOf(kind, name),
    id,
    previousNames,
    value,
    spec,
    reportedPaths: noPaths,
    valid: true,
  };
  const inSpec: ManifestProblem[] = [];
  const report = (problem: ManifestProblem): void => void inSpec.push(problem);
  const resolved = await resolveSpec(kind, spec, { run, file, report });
  return completed(written, resolved, problems, inSpec);
}

const noPaths: ReadonlySet<string> = new Set();

/**
 * A manifest with its spec resolved, and with all problems.
 * @param problems of the variables and by the schema
 * @param inSpec the problems of files and secrets, of which those at a place with another error are left out
 */
function completed(
  written: ParsedManifest,
  { fileProblems, spec }: ResolvedSpec,
  problems: readonly Problem[],
  inSpec: readonly ManifestProblem[],
): ReadDocument {
  if (problems.length === 0 && inSpec.length === 0 && fileProblems.length === 0)
    return { manifest: spec === written.spec ? written : { ...written, spec }, problems };

  const { address, document, file } = written;
  const all = [...problems];
  const reportedPaths = new Set(problems.filter(isError).map(pathKeyOf));
  for (const { at, path, ...problem } of inSpec) {
    if (reportedPaths.has(JSON.stringify(path))) continue;
    all.push({ ...problem, place: placeInDocument(file, document, path, at) });
  }
  for (const problem of all) if (isError(problem)) reportedPaths.add(pathKeyOf(problem));
  const inDocument = all.map((problem) => ({ ...problem, address }));
  const valid = fileProblems.length === 0 && !all.some(isError);
  return { manifest: { ...written, spec, reportedPaths, valid }, problems: [...inDocument, ...fileProblems] };
}

/** A document with its variables substituted, and the problems of its variables and by its schema. */
interface CheckedValue {
  readonly value: Json;
  readonly problems: readonly Problem[];
}

function checkedValue(parsed: ParsedDocument, { path: file }: SourceFile, run: LoadRun): CheckedValue {
  const { options } = run;
  const { adopt } = options;
  const problems: Problem[] = [];
  const unresolved = new Set<string>();
  const untyped: UntypedValue[] = [];
  const substituted = substitute(parsed.value, {
    from: options,
    report(problem, path) {
      // Those of hostports are errors, which a check reports.
      if (problem.code === "variable-lookalike" && (isInPolicy(parsed.value, path) || path[1] === "hostports")) return;
      if (problem.code !== "variable-lookalike") unresolved.add(JSON.stringify(path));
      const { code } = problem;
      const hidden = isSensitive(path) ? hiddenExpressions[code] : undefined;
      const shown = hidden === undefined ? problem : { code, message: hidden };
      problems.push({ ...shown, place: placeInDocument(file, parsed, path) });
    },
    onUntyped: (found) => untyped.push(found),
    spend: (value) => run.spendVariable(value),
  });
  let errors = manifestErrors(substituted, adopt);
  const value = fitTypes(substituted, untyped, errors);
  if (value !== substituted) errors = manifestErrors(value, adopt);
  const kind = identityOf(value)?.kind;
  for (const error of errors) {
    // A variable without a value is already reported as such.
    if (!unresolved.has(JSON.stringify(error.path))) problems.push(problemOf(error, kind, { file, document: parsed }));
  }
  return { value, problems };
}

/** Whether a path leads into a traffic policy, which has expressions of its own. */
function isInPolicy(document: Json, path: DocumentPath): boolean {
  const kind = identityOf(document)?.kind;
  if (kind === undefined) return false;
  return policiesOf(kind).some(({ inDocument }) => inDocument.every((step, index) => path[index] === step));
}

/** For an expression in the place of a secret: its text may be the secret. */
const hiddenExpressions: { readonly [code: string]: string } = {
  "variable-expression": "the text between ${{ and }} is not an expression",
  "variable-lookalike": "the text looks like an expression, and is used as it stands",
};

function isError({ code }: Problem): boolean {
  return codes[code].severity === "error";
}

function problemOf(
  { at, code: found, improve, message, path, remedy, sensitive }: SchemaError,
  kind: KindName | undefined,
  { document, file }: { readonly file: string; readonly document: DocumentPlace },
): Problem {
  const code = isCode(found) ? found : "bad-format";
  const hidden = sensitive || (code === "unknown-member" && mayBeMisspeltSecret(kind, path));
  // A missing member is shown at the key of the map that lacks it.
  const place = placeInDocument(file, document, path, code === "missing-member" ? "key" : at);
  return { code, message, remedy, sensitive: hidden, place, ...(improve === undefined ? {} : { improve }) };
}

/** Whether a member is beside a field that takes a secret: an unknown name may be a misspelt one. */
function mayBeMisspeltSecret(kind: KindName | undefined, path: DocumentPath): boolean {
  if (kind === undefined) return false;
  const parent = JSON.stringify(path.slice(0, -1));
  return specFieldsOf(kind).some(
    (place) => place.field.secret === true && JSON.stringify(["spec", ...place.path.slice(0, -1)]) === parent,
  );
}

const noNames: readonly unknown[] = [];

/** What identifies a document as a manifest; null without a known kind and a name. */
function identityOf(value: Json): Pick<ParsedManifest, "kind" | "name" | "id" | "previousNames"> | null {
  if (!isObject(value) || !isObject(value["metadata"])) return null;
  const { kind } = value;
  const { id, name, previousNames } = value["metadata"];
  if (!isKindName(kind) || typeof name !== "string" || name === "") return null;
  return {
    kind,
    name,
    id: typeof id === "string" ? id : null,
    previousNames: Array.isArray(previousNames) ? previousNames : noNames,
  };
}

function pathKeyOf({ place }: Problem): string {
  return "path" in place ? JSON.stringify(place.path) : "";
}
