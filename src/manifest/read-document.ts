import { type Code, codes, isCode } from "../diagnostics/codes.js";
import { type DocumentPlace, type Problem, placeInDocument } from "../diagnostics/diagnostic.js";
import { SecretMask } from "../diagnostics/hide-secrets.js";
import type { LineIndex } from "../diagnostics/line-index.js";
import { type DocumentPath, isSensitive } from "../document-path.js";
import { type Json, type ValueObject, isObject } from "../json.js";
import { type KindName, addressOf, kindNames } from "../kinds/names.js";
import { manifestErrors } from "../schema/validate-manifest.js";
import type { SchemaError } from "../schema/validator.js";
import type { ParsedDocument } from "../yaml/parsed-file.js";
import type { LoadRun } from "./load-run.js";
import type { ManifestProblem, ParsedManifest } from "./parsed-manifest.js";
import { resolveSpec } from "./resolve-spec.js";
import { policiesOf, specFieldsOf } from "./spec-fields.js";
import { type UntypedValue, fitTypes, substitute } from "./variables.js";

/** A file of manifests. */
export interface SourceFile {
  /** Relative to the root. */
  readonly path: string;
  readonly lines: LineIndex;
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
  { lines, path: file }: SourceFile,
  run: LoadRun,
): Promise<ReadDocument | null> {
  if (isObject(parsed.value) && parsed.value["kind"] === "Config") return null;
  const { problems, value } = checkedValue(parsed, file, run);
  const mask = new SecretMask(value);
  const identity = identityOf(value);
  if (identity === null || !isObject(value)) {
    return { manifest: null, problems: problems.map((problem) => mask.hideIn(problem)) };
  }

  const written = isObject(value["spec"]) ? (value["spec"] as ValueObject) : {};
  const inSpec: ManifestProblem[] = [];
  const report = (problem: ManifestProblem): void => void inSpec.push(problem);
  const { fileProblems, spec } = await resolveSpec(identity.kind, written, { run, file, report });
  const reportedPaths = new Set(problems.filter(isError).map(pathKeyOf));
  for (const { at, elsewhere: _other, path, ...problem } of inSpec) {
    if (reportedPaths.has(JSON.stringify(path))) continue;
    problems.push({ ...problem, place: placeInDocument(file, parsed, path, at) });
  }
  for (const problem of problems) if (isError(problem)) reportedPaths.add(pathKeyOf(problem));

  const { content, end, start } = parsed;
  const address = addressOf(identity.kind, identity.name);
  const manifest: ParsedManifest = {
    file,
    line: lines.position(content).line,
    document: { start, end, content },
    ...identity,
    address,
    value,
    spec,
    mask,
    reportedPaths,
    valid: !problems.some(isError) && fileProblems.length === 0,
  };
  const inDocument = problems.map((problem) => ({ ...mask.hideIn(problem), address }));
  return { manifest, problems: [...inDocument, ...fileProblems] };
}

/** A document with its variables substituted, and the problems of its variables and by its schema. */
function checkedValue(
  parsed: ParsedDocument,
  file: string,
  { budget, options }: LoadRun,
): { readonly value: Json; readonly problems: Problem[] } {
  const problems: Problem[] = [];
  const unresolved = new Set<string>();
  const untyped: UntypedValue[] = [];
  const substituted = substitute(parsed.value, {
    from: options,
    report(problem, path) {
      // Those of hostports are errors, which a check reports.
      if (problem.code === "variable-lookalike" && (isInPolicy(parsed.value, path) || path[1] === "hostports")) return;
      if (problem.code !== "variable-lookalike") unresolved.add(JSON.stringify(path));
      const shown = (isSensitive(path) ? hiddenExpressions.get(problem.code) : undefined) ?? problem;
      problems.push({ ...shown, place: placeInDocument(file, parsed, path) });
    },
    onUntyped: (found) => untyped.push(found),
    spend: (value) => budget.spendVariable(value),
  });
  options.secrecy?.reveal(substituted);
  let errors = manifestErrors(substituted, options.adopt);
  const value = fitTypes(substituted, untyped, errors);
  if (value !== substituted) errors = manifestErrors(value, options.adopt);
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
  return policiesOf(kind).some((policy) => ["spec", ...policy.path].every((step, index) => path[index] === step));
}

/** For an expression in the place of a secret: its text may be the secret. */
const hiddenExpressions: ReadonlyMap<Code, Omit<Problem, "place">> = new Map(
  (
    [
      { code: "variable-expression", message: "the text between ${{ and }} is not an expression" },
      { code: "variable-lookalike", message: "the text looks like an expression, and is used as it stands" },
    ] as const
  ).map((problem) => [problem.code, problem]),
);

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

/** What identifies a document as a manifest; null without a known kind and a name. */
function identityOf(value: Json): Pick<ParsedManifest, "kind" | "name" | "id" | "previousNames"> | null {
  if (!isObject(value) || !isObject(value["metadata"])) return null;
  const kind = kindNames.find((known) => known === value["kind"]);
  const { id, name, previousNames } = value["metadata"];
  if (kind === undefined || typeof name !== "string" || name === "") return null;
  return {
    kind,
    name,
    id: typeof id === "string" ? id : null,
    previousNames: Array.isArray(previousNames) ? previousNames : [],
  };
}

function pathKeyOf({ place }: Problem): string {
  return "path" in place ? JSON.stringify(place.path) : "";
}
