import type { DocumentPath } from "../core/document-path.js";
import { type Json, type ValueObject, isObject } from "../core/json.js";
import { severityOf } from "../diagnostics/codes.js";
import { type Problem, placeInDocument } from "../diagnostics/diagnostic.js";
import type { LineIndex } from "../diagnostics/line-index.js";
import { type KindName, addressOf, isKindName } from "../kinds/names.js";
import { kinds } from "../kinds/registry.js";
import { manifestErrors } from "../schema/validate-documents.js";
import type { ParsedDocument } from "../yaml/parsed-file.js";
import type { LoadRun } from "./load-run.js";
import type { ParsedManifest, ReportProblem } from "./manifest.js";
import { resolveSpec } from "./resolve-spec.js";
import { type UntypedValue, fitTypes, substitute } from "./variables.js";

/** Null without a known kind and a name. */
export type ReadDocument = Readonly<{
  manifest: ParsedManifest | null;
  problems: readonly Problem[];
}>;

export async function readDocument(
  document: ParsedDocument,
  file: string,
  lines: LineIndex,
  run: LoadRun,
): Promise<ReadDocument> {
  const problems: Problem[] = [];
  const value = checkedValue(document, file, run, problems);
  const identity = identityOf(value);
  if (identity === null || !isObject(value)) return { manifest: null, problems };

  const { kind, name } = identity;
  const address = addressOf(kind, name);
  const errorPaths = (): Set<string> => {
    const errors = problems.filter(({ code }) => severityOf(code) === "error");
    return new Set(errors.map(({ place }) => ("path" in place ? JSON.stringify(place.path) : "")));
  };
  const inSchema = errorPaths();
  const report: ReportProblem = ({ at, path, ...problem }) => {
    if (!inSchema.has(JSON.stringify(path)))
      problems.push({ ...problem, place: placeInDocument(file, document, path, at) });
  };
  const fileProblems: Problem[] = [];
  const written = isObject(value["spec"]) ? (value["spec"] as ValueObject) : {};
  const spec = await resolveSpec(kind, written, { run, file, report, fileProblems });
  const reportedPaths = errorPaths();
  const { adopt } = run.options;
  const manifest = {
    ...identity,
    file,
    line: lines.position(document.content).line,
    document,
    address,
    adopted: Object.hasOwn(adopt, address) ? (adopt[address] ?? null) : null,
    value,
    spec,
    reportedPaths,
    valid: fileProblems.length === 0 && reportedPaths.size === 0,
  };
  return { manifest, problems: [...problems.map((problem) => ({ ...problem, address })), ...fileProblems] };
}

function checkedValue(document: ParsedDocument, file: string, run: LoadRun, problems: Problem[]): Json {
  const { adopt } = run.options;
  const unresolved = new Set<string>();
  const untyped: UntypedValue[] = [];
  const substituted = substitute(document.value, {
    from: run.options,
    report(problem, path) {
      unresolved.add(JSON.stringify(path));
      problems.push({ ...problem, place: placeInDocument(file, document, path) });
    },
    onUntyped: (found) => untyped.push(found),
    spend: (value) => run.spend(0) ?? run.spend(JSON.stringify(value).length),
  });
  let errors = manifestErrors(substituted, adopt);
  const value = fitTypes(substituted, untyped, errors);
  if (value !== substituted) errors = manifestErrors(value, adopt);
  const kind = identityOf(value)?.kind;
  for (const { at, code, message, path, remedy, sensitive } of errors) {
    if (unresolved.has(JSON.stringify(path))) continue;
    problems.push({
      code,
      message,
      remedy,
      sensitive: sensitive || (code === "unknown-member" && mayBeMisspeltSecret(kind, path)),
      place: placeInDocument(file, document, path, code === "missing-member" ? "key" : at),
    });
  }
  return value;
}

/** An unknown name beside a secret may be a misspelt one. */
function mayBeMisspeltSecret(kind: KindName | undefined, path: DocumentPath): boolean {
  if (kind === undefined) return false;
  const parent = JSON.stringify(path.slice(0, -1));
  return kinds[kind].specFields.some(
    (place) => place.field.secret === true && JSON.stringify(["spec", ...place.path.slice(0, -1)]) === parent,
  );
}

function identityOf(value: Json): Pick<ParsedManifest, "kind" | "name" | "id" | "previousNames"> | null {
  if (!isObject(value) || !isObject(value["metadata"])) return null;
  const { kind } = value;
  const { id, name, previousNames } = value["metadata"];
  if (!isKindName(kind) || typeof name !== "string" || name === "") return null;
  const former: readonly unknown[] = Array.isArray(previousNames) ? previousNames : [];
  return { kind, name, id: typeof id === "string" ? id : null, previousNames: former };
}
