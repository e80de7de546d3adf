import type { Problem } from "../diagnostics/diagnostic.js";
import { didYouMean } from "../diagnostics/suggest.js";
import { type DocumentPath, withValueAt } from "../core/document-path.js";
import { type Json, type JsonObject, isObject } from "../core/json.js";
import { limits } from "../core/limits.js";
import type { SchemaError } from "../schema/validator.js";

/** Where variables come from. */
export interface Variables {
  /** The configuration's `variables` and `--var`. */
  readonly variables: { readonly [name: string]: Json };
  /** The ones that came as text, from flags; absent = none. Process variables are always text. */
  readonly untyped?: ReadonlySet<string>;
  /** The process environment; `${{ env.NAME }}` reads only EDGEWISE_VAR_NAME. */
  readonly env: { readonly [name: string]: string | undefined };
  /** The environments that could be chosen and are not; absent = none. */
  readonly environments?: readonly string[];
}

/** A value that is just one expression, and whose text has no type of its own. */
export interface UntypedValue {
  readonly path: DocumentPath;
  readonly text: string;
}

/** Where the variables of a document come from, and who hears of what. */
export interface Substitution {
  readonly from: Variables;
  report(problem: Omit<Problem, "place">, path: DocumentPath): void;
  /** Called for every whole value that came from a flag or a process variable: see {@link fitTypes}. */
  onUntyped?(found: UntypedValue): void;
  /** Called with every value that is put in. @returns a message once there are too many characters */
  spend?(value: Json): string | null;
}

/**
 * A value with the variables in its strings substituted. Keys stay as they are, and results are never parsed again.
 * A string that is just one expression takes the variable's type. What can't be substituted is reported and becomes
 * null. A value without expressions is returned as it is, not copied.
 */
export function substitute(value: Json, substitution: Substitution): Json {
  return holdsExpression(value) ? substituteAt(value, substitution, []) : value;
}

function holdsExpression(value: Json | undefined): boolean {
  if (typeof value === "string") return mayHoldExpression(value);
  if (typeof value !== "object" || value === null) return false;
  if (Array.isArray(value)) return value.some(holdsExpression);
  const object = value as JsonObject;
  for (const name in object) if (holdsExpression(object[name])) return true;
  return false;
}

function substituteAt(value: Json, run: Substitution, path: DocumentPath): Json {
  if (typeof value === "string") return mayHoldExpression(value) ? substituteText(value, run, path) : value;
  if (Array.isArray(value)) return value.map((item: Json, index) => substituteAt(item, run, [...path, index]));
  if (!isObject(value)) return value;
  const entries = Object.entries(value) as [string, Json][];
  return Object.fromEntries(entries.map(([name, item]) => [name, substituteAt(item, run, [...path, name])]));
}

function substituteText(text: string, substitution: Substitution, path: DocumentPath): Json {
  const { from } = substitution;
  if (lookalike.test(text)) {
    const message = "${vars.NAME} and the like are no expressions of edgewise: the text is used as it stands";
    substitution.report({ code: "variable-lookalike", message }, path);
  }
  const pieces = parseExpressions(text);
  const refuse = (problem: Omit<Problem, "place">): null => {
    substitution.report(problem, path);
    return null;
  };
  let result = "";
  for (const piece of pieces) {
    const value = resolvePiece(piece, from);
    if ("problem" in value) return refuse(value.problem);
    const { json } = value;
    const excess = "name" in piece ? (substitution.spend?.(json) ?? null) : null;
    if (excess !== null) return refuse({ code: "input-too-large", message: excess });
    if (pieces.length === 1 && "name" in piece) {
      const isTyped = piece.from === "vars" && from.untyped?.has(piece.name) !== true;
      if (!isTyped && typeof json === "string") substitution.onUntyped?.({ path, text: json });
      return json;
    }
    if (json === null || typeof json === "object") {
      const kind = json === null ? "null" : Array.isArray(json) ? "a list" : "a map";
      const shown = "name" in piece ? `\${{ ${piece.from}.${piece.name} }}` : "this";
      return refuse({ code: "variable-type", message: `${shown} is ${kind}, which can't be part of a text` });
    }
    result += String(json);
    if (result.length > limits.substitutedText) {
      const message = `the text has more than ${limits.substitutedText} characters after its variables are filled in`;
      return refuse({ code: "variable-too-large", message });
    }
  }
  return result;
}

type ResolvedPiece = { readonly json: Json } | { readonly problem: Omit<Problem, "place"> };

function resolvePiece(piece: TextPiece, { variables, env, environments = [] }: Variables): ResolvedPiece {
  if ("text" in piece) return { json: piece.text };
  if ("problem" in piece) return piece;
  const { name } = piece;
  if (piece.from === "env") {
    const json = env[`EDGEWISE_VAR_${name}`];
    if (json !== undefined) return { json };
    const message = `the environment variable EDGEWISE_VAR_${name} is not set (\${{ env.${name} }} reads it)`;
    return { problem: { code: "variable-unset", message, remedy: `Set EDGEWISE_VAR_${name}.` } };
  }
  const json = Object.hasOwn(variables, name) ? variables[name] : undefined;
  if (json !== undefined) return { json };
  const meant = didYouMean(name, Object.keys(variables));
  const choose = environments.length === 0 ? "" : `, or choose an environment with -e (${environments.join(", ")})`;
  const remedy = `${meant === null ? "Set" : `${meant} Otherwise set`} it with \`variables: {${name}: …}\` in edgewise.yaml or --var ${name}=VALUE${choose}.`;
  return { problem: { code: "variable-unset", message: `the variable ${name} has no value`, remedy } };
}

/** A piece of a string that may hold expressions. */
type TextPiece =
  | { readonly text: string }
  | { readonly from: "vars" | "env"; readonly name: string }
  | { readonly problem: Omit<Problem, "place"> };

/** Expressions in the language of another tool. Others with `${` belong to whoever reads the text. */
const lookalike = /\$\{(?:vars?|env)\.[A-Za-z_][\w-]*\}/u;

/** Whether a string needs {@link parseExpressions} at all. */
function mayHoldExpression(text: string): boolean {
  return text.includes("${") && (text.includes("${{") || lookalike.test(text));
}

/** Splits a string at its expressions: `${{ vars.NAME }}`, `${{ env.NAME }}`; `$${{` is a literal `${{`. */
function parseExpressions(text: string): readonly TextPiece[] {
  const pieces: TextPiece[] = [];
  let plain = "";
  let at = 0;
  while (at < text.length) {
    const open = text.indexOf("${{", at);
    if (open === -1) break;
    if (open > at && text[open - 1] === "$") {
      plain += `${text.slice(at, open - 1)}\${{`;
      at = open + 3;
      continue;
    }
    plain += text.slice(at, open);
    if (plain !== "") pieces.push({ text: plain });
    plain = "";
    const close = text.indexOf("}}", open);
    if (close === -1) return [...pieces, malformed("an expression begins with ${{ but is not closed with }}")];
    pieces.push(parseExpression(text.slice(open + 3, close)));
    at = close + 2;
  }
  plain += text.slice(at);
  if (plain !== "") pieces.push({ text: plain });
  return pieces;
}

function parseExpression(inner: string): TextPiece {
  const [, from, name] = /^\s*(vars|env)\.([A-Za-z_][\w-]*)\s*$/u.exec(inner) ?? [];
  // What stands there may be a secret.
  if (name === undefined) return malformed("the text between ${{ and }} is not an expression");
  return { from: from === "vars" ? "vars" : "env", name };
}

function malformed(message: string): TextPiece {
  return { problem: { code: "variable-expression", message } };
}

/**
 * Texts from flags and the process environment have no type. Where the schema asks for a number or a boolean and the
 * text is one, it is converted; otherwise it stays text.
 * @param errors the schema errors of the document with the texts
 * @returns the document itself when nothing was converted
 */
export function fitTypes(document: Json, texts: readonly UntypedValue[], errors: readonly SchemaError[]): Json {
  if (texts.length === 0) return document;
  const wanted = new Map(
    errors.flatMap(({ keyword, params, path }) =>
      keyword === "type" ? [[JSON.stringify(path), [params["type"]].flat()] as const] : [],
    ),
  );
  let result = document;
  for (const { path, text } of texts) {
    const value = parseAs(text, wanted.get(JSON.stringify(path)) ?? []);
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
