import { type DocumentPath, withValueAt } from "../core/document-path.js";
import type { Json, JsonObject } from "../core/json.js";
import type { Problem } from "../diagnostics/diagnostic.js";
import { didYouMean } from "../diagnostics/suggest.js";
import type { SchemaError } from "../schema/schema-errors.js";
import type { LoadOptions } from "./load-run.js";

/** A whole value from a flag or a process variable. */
export interface UntypedValue {
  readonly path: DocumentPath;
  readonly text: string;
}

interface Substitution {
  readonly from: Pick<LoadOptions, "variables" | "untyped" | "env" | "environments">;
  report(problem: Omit<Problem, "place">, path: DocumentPath): void;
  /** See {@link fitTypes}. */
  onUntyped?(found: UntypedValue): void;
  /** Called with every value that is put in. @returns a problem once it is too much */
  spend?(value: Json): Omit<Problem, "place"> | null;
}

/** Keys stay as they are, and results are never parsed again. What can't be substituted is reported, and null. */
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

/** A text that is just one expression takes the variable's type. */
function substituteText(text: string, { from, onUntyped, report, spend }: Substitution, path: DocumentPath): Json {
  const refuse = (problem: Omit<Problem, "place">): null => {
    report(problem, path);
    return null;
  };
  const pieces = parseExpressions(text);
  let result = "";
  for (const piece of pieces) {
    if (typeof piece === "string") result += piece;
    else {
      if ("code" in piece) return refuse(piece);
      const { env, variables } = from;
      const own = Object.hasOwn(variables, piece.name) ? variables[piece.name] : undefined;
      const value = piece.from === "env" ? env[`EDGEWISE_VAR_${piece.name}`] : own;
      if (value === undefined) return refuse(unset(piece.from, piece.name, from));
      const excess = spend?.(value) ?? null;
      if (excess !== null) return refuse(excess);
      if (pieces.length === 1) {
        const isTyped = piece.from === "vars" && from.untyped?.has(piece.name) !== true;
        if (!isTyped && typeof value === "string") onUntyped?.({ path, text: value });
        return value;
      }
      if (value === null || typeof value === "object") {
        const kind = value === null ? "null" : Array.isArray(value) ? "a list" : "a map";
        const message = `\${{ ${piece.from}.${piece.name} }} is ${kind}, which can't be part of a text`;
        return refuse({ code: "variable-type", message });
      }
      result += String(value);
    }
  }
  return result;
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

type Expression = { readonly from: string; readonly name: string } | Omit<Problem, "place">;

/** `$${{` is a literal `${{`. */
function parseExpressions(text: string): readonly (string | Expression)[] {
  const pieces: (string | Expression)[] = [];
  let plain = "";
  let at = 0;
  for (let open = text.indexOf("${{"); open !== -1; open = text.indexOf("${{", at)) {
    if (open > at && text[open - 1] === "$") {
      plain += `${text.slice(at, open - 1)}\${{`;
      at = open + 3;
      continue;
    }
    plain += text.slice(at, open);
    if (plain !== "") pieces.push(plain);
    plain = "";
    const close = text.indexOf("}}", open);
    const message = "an expression begins with ${{ but is not closed with }}";
    if (close === -1) return [...pieces, { code: "variable-expression", message }];
    pieces.push(parseExpression(text.slice(open + 3, close)));
    at = close + 2;
  }
  plain += text.slice(at);
  return plain === "" ? pieces : [...pieces, plain];
}

function parseExpression(inner: string): Expression {
  const [, from, name] = /^\s*(vars|env)\.([A-Za-z_][\w-]*)\s*$/u.exec(inner) ?? [];
  if (from !== undefined && name !== undefined) return { from, name };
  // What stands there may be a secret.
  return { code: "variable-expression", message: "the text between ${{ and }} is not an expression" };
}

/** Texts from flags and process variables become numbers or booleans where the schema asks for one. */
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
