import { type DocumentPath, withValueAt } from "../core/document-path.js";
import { type Json, type ValueObject, isObject } from "../core/json.js";
import { severityOf } from "../diagnostics/codes.js";
import { type Problem, placeInDocument } from "../diagnostics/diagnostic.js";
import type { LineIndex } from "../diagnostics/line-index.js";
import { type KindName, addressOf, isKindName } from "../kinds/names.js";
import { kinds } from "../kinds/registry.js";
import { type SchemaError, manifestErrors } from "../schema/validate-documents.js";
import type { ParsedDocument } from "../yaml/parsed-file.js";
import type { LoadOptions, LoadRun } from "./load-run.js";
import type { ParsedManifest, ReportProblem } from "./manifest.js";
import { resolveSpec } from "./resolve-spec.js";
import { didYouMean } from "../diagnostics/suggest.js";

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

/** A whole value from a flag or the environment. */
type UntypedValue = Readonly<{ path: DocumentPath; text: string }>;

interface Substitution {
  readonly from: Pick<LoadOptions, "variables" | "untyped" | "env" | "environments">;
  report(problem: Omit<Problem, "place">, path: DocumentPath): void;
  onUntyped?(found: UntypedValue): void;
  /** @returns a problem once it is too much */
  spend?(value: Json): Omit<Problem, "place"> | null;
}

/** Results are never parsed again. What can't be substituted is reported, and null. */
export function substitute(value: Json, substitution: Substitution, path: DocumentPath = []): Json {
  if (typeof value === "string") return value.includes("${{") ? substituteText(value, substitution, path) : value;
  if (Array.isArray(value)) return value.map((item: Json, index) => substitute(item, substitution, [...path, index]));
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value) as [string, Json][];
  return Object.fromEntries(entries.map(([name, item]) => [name, substitute(item, substitution, [...path, name])]));
}

const expression = /\$\$\{\{|\$\{\{(?<inner>[^]*?)(?<close>\}\}|$)/gu;

/** A text that is just one expression takes the variable's type. */
function substituteText(text: string, { from, onUntyped, report, spend }: Substitution, path: DocumentPath): Json {
  const refuse = (problem: Omit<Problem, "place">): null => {
    report(problem, path);
    return null;
  };
  let result = "";
  let end = 0;
  for (const { 0: found, groups, index } of text.matchAll(expression)) {
    result += text.slice(end, index);
    end = index + found.length;
    if (groups?.["inner"] === undefined) {
      result += "${{";
      continue;
    }
    const message = "an expression begins with ${{ but is not closed with }}";
    if (groups["close"] === "") return refuse({ code: "variable-expression", message });
    const [, kind, name] = /^\s*(vars|env)\.([A-Za-z_][\w-]*)\s*$/u.exec(groups["inner"]) ?? [];
    if (kind === undefined || name === undefined)
      // What stands there may be a secret.
      return refuse({ code: "variable-expression", message: "the text between ${{ and }} is not an expression" });
    const own = Object.hasOwn(from.variables, name) ? from.variables[name] : undefined;
    const value = kind === "env" ? from.env[`EDGEWISE_VAR_${name}`] : own;
    if (value === undefined) return refuse(unset(kind, name, from));
    const excess = spend?.(value) ?? null;
    if (excess !== null) return refuse(excess);
    if (found === text) {
      const isTyped = kind === "vars" && from.untyped?.has(name) !== true;
      if (!isTyped && typeof value === "string") onUntyped?.({ path, text: value });
      return value;
    }
    if (value === null || typeof value === "object") {
      const is = value === null ? "null" : Array.isArray(value) ? "a list" : "a map";
      const wrong = `\${{ ${kind}.${name} }} is ${is}, which can't be part of a text`;
      return refuse({ code: "variable-type", message: wrong });
    }
    result += String(value);
  }
  return result + text.slice(end);
}

function unset(
  kind: string,
  name: string,
  { environments = [], variables }: Substitution["from"],
): Omit<Problem, "place"> {
  if (kind === "env") {
    const message = `the environment variable EDGEWISE_VAR_${name} is not set`;
    return { code: "variable-unset", message, remedy: `Set EDGEWISE_VAR_${name}.` };
  }
  const meant = didYouMean(name, Object.keys(variables));
  const choose = environments.length === 0 ? "" : `, or choose an environment with -e (${environments.join(", ")})`;
  const remedy = `${meant === null ? "Set" : `${meant} Otherwise set`} it with \`variables: {${name}: …}\` in edgewise.yaml or --var ${name}=VALUE${choose}.`;
  return { code: "variable-unset", message: `the variable ${name} has no value`, remedy };
}

/** Texts become numbers or booleans where the schema asks for one. */
function fitTypes(document: Json, texts: readonly UntypedValue[], errors: readonly SchemaError[]): Json {
  let result = document;
  for (const { path, text } of texts) {
    const key = JSON.stringify(path);
    const error = errors.find((each) => each.keyword === "type" && JSON.stringify(each.path) === key);
    const value = parseAs(text, [error?.wanted].flat());
    if (value !== null) result = withValueAt(result, path, value);
  }
  return result;
}

function parseAs(text: string, types: readonly unknown[]): number | boolean | null {
  if (types.includes("boolean") && /^(true|false)$/u.test(text)) return text === "true";
  if ((types.includes("integer") || types.includes("number")) && /^-?(0|[1-9]\d{0,14})$/u.test(text))
    return Number(text);
  return null;
}
