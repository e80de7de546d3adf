import { type DocumentPath, withValueAt } from "../core/document-path.js";
import type { Json, JsonObject } from "../core/json.js";
import type { Problem } from "../diagnostics/diagnostic.js";
import { didYouMean } from "../diagnostics/suggest.js";
import type { SchemaError } from "../schema/validate-documents.js";
import type { LoadOptions } from "./load-run.js";

/** A whole value from a flag or the environment. */
export type UntypedValue = Readonly<{
  path: DocumentPath;
  text: string;
}>;

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
  if (!holdsExpression(value)) return value;
  if (Array.isArray(value)) return value.map((item: Json, index) => substitute(item, substitution, [...path, index]));
  const entries = Object.entries(value as JsonObject) as [string, Json][];
  return Object.fromEntries(entries.map(([name, item]) => [name, substitute(item, substitution, [...path, name])]));
}

function holdsExpression(value: unknown): boolean {
  if (typeof value === "string") return value.includes("${{");
  return typeof value === "object" && value !== null && Object.values(value).some(holdsExpression);
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
export function fitTypes(document: Json, texts: readonly UntypedValue[], errors: readonly SchemaError[]): Json {
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
