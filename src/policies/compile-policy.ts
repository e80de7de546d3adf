import { Environment, type ParseResult } from "@marcbachmann/cel-js";
import { RE2JS } from "re2js";
import { cut } from "../text/layout.js";
import { readExpression } from "./expression-tree.js";
import type { ExpressionProblem } from "./plan-policy.js";

/** An expression that can be evaluated. */
export interface CompiledPolicy {
  /** Whether it is about single changes, and is evaluated for each. */
  readonly perChange: boolean;
  /** Whether it is true. @throws Error when it can't be evaluated, or gives something else */
  readonly holds: (variables: PolicyVariables) => boolean;
}

/** What expressions are about: JSON, with whole numbers as `bigint`. */
export interface PolicyVariables {
  readonly change?: unknown;
  readonly plan: unknown;
}

/** The function that calls of `matches` become. */
const linearMatches = "matchesInLinearTime";

const environment = new Environment({
  // A list of allowed values may hold null, too.
  homogeneousAggregateLiterals: false,
  // `change.after.spec.?tls_termination.?min_version.orValue("1.2")`: most members are there for some changes only.
  enableOptionalTypes: true,
  limits: { maxAstNodes: 2000, maxDepth: 50 },
})
  .registerVariable("change", "map")
  .registerVariable("plan", "map")
  .registerFunction(
    `string.${linearMatches}(string): bool`,
    (text: string, pattern: string): boolean => patternOf(pattern).test(text),
    { async: false },
  );

/** Parses and checks an expression. */
export function compilePolicy(expression: string): CompiledPolicy | ExpressionProblem {
  try {
    const parsed = environment.parse(expression);
    const { change, misuse } = readExpression(parsed.ast, { linear: linearMatches, problemOf: patternProblem });
    if (misuse !== null) return { message: misuse.message, place: placeIn(expression, misuse.node.start) };
    const { error, type, valid } = parsed.check();
    if (!valid) return problemOf(error, expression);
    if (type !== "bool" && type !== "dyn") {
      return { message: `it gives a value of type ${type}, not true or false`, place: null };
    }
    return { perChange: change, holds: (variables) => outcomeOf(parsed, variables) };
  } catch (error) {
    return problemOf(error, expression);
  }
}

function outcomeOf(parsed: ParseResult, variables: PolicyVariables): boolean {
  const outcome: unknown = parsed(variables);
  if (typeof outcome === "boolean") return outcome;
  throw new TypeError(`it gives a value of type ${typeNameOf(outcome)}, not true or false`);
}

function typeNameOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "list";
  const names: { readonly [type: string]: string } = { bigint: "int", number: "double", object: "map" };
  return names[typeof value] ?? typeof value;
}

/** A mistake that the library found, or what an evaluation threw. */
export function problemOf(error: unknown, expression: string): ExpressionProblem {
  if (!(error instanceof Error)) return { message: "it can't be evaluated", place: null };
  const start = "range" in error && isRange(error.range) ? error.range.start : null;
  const message = "summary" in error && typeof error.summary === "string" ? error.summary : error.message;
  return { message: cut(message, 200), place: start === null ? null : placeIn(expression, start) };
}

function isRange(range: unknown): range is { readonly start: number } {
  return typeof range === "object" && range !== null && "start" in range && typeof range.start === "number";
}

function placeIn(expression: string, offset: number): { readonly line: number; readonly column: number } {
  const before = expression.slice(0, offset).split("\n");
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

/** Compiled patterns; most expressions have one. */
const patterns = new Map<string, RE2JS>();
const mostPatterns = 100;

/** @throws Error for a text that is not a pattern */
function patternOf(pattern: string): RE2JS {
  const known = patterns.get(pattern);
  if (known !== undefined) return known;
  const problem = patternProblem(pattern);
  if (problem !== null) throw new Error(problem);
  const compiled = RE2JS.compile(pattern);
  if (patterns.size >= mostPatterns) patterns.clear();
  patterns.set(pattern, compiled);
  return compiled;
}

/** Longer patterns could take too much memory. */
const longestPattern = 1000;

function patternProblem(pattern: string): string | null {
  if (pattern.length > longestPattern) return `a pattern has more than ${longestPattern} characters`;
  try {
    RE2JS.compile(pattern);
    return null;
  } catch (error) {
    return error instanceof Error
      ? `${JSON.stringify(pattern)} is not a pattern of RE2: ${error.message}`
      : "not a pattern";
  }
}
