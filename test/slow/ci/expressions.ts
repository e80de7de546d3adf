import { Evaluator, Lexer, Parser, data } from "@actions/expressions";
import type { Strings } from "./recipes.ts";

const contexts = ["github", "inputs", "matrix", "needs", "secrets", "steps", "vars"];

/** What an expression gives; a name without a value is null, as on GitHub. `succeeded` = everything before did. */
function valueOf(expression: string, values: Strings, succeeded = true): data.ExpressionData {
  const context: Record<string, unknown> = Object.fromEntries(contexts.map((name) => [name, {}]));
  for (const [name, value] of Object.entries(values)) {
    const path = name.split(".");
    let parent = context;
    for (const part of path.slice(0, -1)) parent = (parent[part] ??= {}) as Record<string, unknown>;
    parent[path.at(-1) ?? ""] = value;
  }
  const functions = Object.entries({ always: true, success: succeeded }).map(([name, result]) => ({
    name,
    minArgs: 0,
    maxArgs: 0,
    call: () => new data.BooleanData(result),
  }));
  const tree = new Parser(new Lexer(expression).lex().tokens, contexts, functions).parse();
  const dictionary = JSON.parse(JSON.stringify(context), data.reviver) as data.Dictionary;
  return new Evaluator(tree, dictionary, new Map(functions.map((each) => [each.name, each]))).evaluate();
}

/** Replaces every expression in a text. */
export function evaluate(text: string, values: Strings): string {
  return text.replace(/\$\{\{(.*?)\}\}/g, (_, expression: string) => valueOf(expression, values).coerceString());
}

export function evaluateAll(strings: Strings | undefined, values: Strings): Strings {
  return Object.fromEntries(Object.entries(strings ?? {}).map(([name, text]) => [name, evaluate(text, values)]));
}

/** The list that an expression gives. */
export function evaluateList(text: string, values: Strings): readonly Strings[] {
  return JSON.parse(JSON.stringify(valueOf(text.replace(/^\$\{\{|\}\}$/g, ""), values), data.replacer));
}

/** Whether a step or job runs: its condition holds, and everything before it succeeded, unless it says `always()`. */
export function holds(condition: string | undefined, values: Strings, succeeded: boolean): boolean {
  const whole = condition?.includes("always()") === true ? condition : `success() && (${condition ?? true})`;
  return valueOf(`(${whole}) && true || false`, values, succeeded).coerceString() === "true";
}

/** As GitHub matches: `**` is any path, `*` any name. */
export function matchesGlob(path: string, pattern: string): boolean {
  const source = pattern
    .replaceAll(".", "\\.")
    .replaceAll("**/", "(?:.+/)?")
    .replaceAll("**", ".+")
    .replaceAll(/(?<![.)])\*/g, "[^/]*");
  return new RegExp(`^${source}$`).test(path);
}
