import { type ASTNode, Environment } from "@marcbachmann/cel-js";
import { RE2JS } from "re2js";
import { didYouMean } from "../diagnostics/suggest.js";
import { planMembers } from "../generated/members.js";
import { cut } from "../core/text.js";
import type { ExpressionProblem } from "./plan-policy.js";
import { leftOut } from "./judged-plan.js";

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

/** The variables of an expression, and their members. */
const variables: ReadonlyMap<string, readonly string[]> = new Map([
  ["change", [...(planMembers["changes.*"] ?? []), "kind", "name", "before", "after"]],
  ["plan", (planMembers[""] ?? []).filter((name) => !leftOut.has(name))],
]);

/** The function that calls of `matches` become: the library's own would try every way to match, which can take for ever. */
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
    (text: string, pattern: string): boolean => compiledPattern(pattern).test(text),
    { async: false },
  );

/** Parses and checks an expression. */
export function compilePolicy(expression: string): CompiledPolicy | ExpressionProblem {
  try {
    const parsed = environment.parse(expression);
    const { change, misuse } = readExpression(parsed.ast);
    if (misuse !== null) return { message: misuse.message, place: placeIn(expression, misuse.node.start) };
    const { error, type, valid } = parsed.check();
    if (!valid) return problemOf(error, expression);
    if (type !== "bool" && type !== "dyn") return { message: wrongType(type), place: null };
    return {
      perChange: change,
      holds: (given) => {
        const outcome: unknown = parsed(given);
        if (typeof outcome !== "boolean") throw new TypeError(wrongType(typeNameOf(outcome)));
        return outcome;
      },
    };
  } catch (error) {
    return problemOf(error, expression);
  }
}

function wrongType(type: unknown): string {
  return `it gives a value of type ${String(type)}, not true or false`;
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
  const { range, summary = error.message } = error as Error & { readonly range?: { start: number }; summary?: string };
  return { message: cut(summary, 200), place: range === undefined ? null : placeIn(expression, range.start) };
}

function placeIn(expression: string, offset: number): { readonly line: number; readonly column: number } {
  const before = expression.slice(0, offset).split("\n");
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

const patterns = new Map<string, RE2JS>();

/** Longer patterns could take too much memory. */
const longestPattern = 1000;

/** @throws Error for a text that is not a pattern */
function compiledPattern(pattern: string): RE2JS {
  const known = patterns.get(pattern);
  if (known !== undefined) return known;
  if (pattern.length > longestPattern) throw new Error(`a pattern has more than ${longestPattern} characters`);
  try {
    const compiled = RE2JS.compile(pattern);
    patterns.set(pattern, compiled);
    return compiled;
  } catch (error) {
    const why = error instanceof Error ? `: ${error.message}` : "";
    throw new Error(`${JSON.stringify(pattern)} is not a pattern of RE2${why}`, { cause: error });
  }
}

/** Macros that give a name to a value: the name hides a variable in the arguments after it. */
const binders = new Set(["all", "exists", "exists_one", "filter", "map", "bind"]);

/** What an expression uses. */
interface ExpressionUses {
  /** Whether it is about single changes. */
  readonly change: boolean;
  /** What can't be used; null = nothing. */
  readonly misuse: { readonly message: string; readonly node: ASTNode } | null;
}

/** Finds what an expression uses, before it is checked, and sends each call of `matches` to a function in linear time. */
function readExpression(root: ASTNode): ExpressionUses {
  let change = false;
  let misuse: ExpressionUses["misuse"] = null;
  const refuse = (node: ASTNode, message: string): void => {
    misuse ??= { message, node };
  };
  const visit = (node: ASTNode, hidden: ReadonlySet<string>): void => {
    if (node.op === "id" && node.args === "change" && !hidden.has("change")) change = true;
    const isBytes =
      (node.op === "value" && node.args instanceof Uint8Array) || (node.op === "call" && node.args[0] === "bytes");
    // Their memory has no bound.
    if (isBytes) refuse(node, "bytes can't be used: a plan has none");
    if (node.op === "." || node.op === ".?") checkMember(node.args, hidden);
    if (node.op === "rcall" && node.args[0] === "matches") {
      node.args[0] = linearMatches;
      const [pattern] = node.args[2];
      if (pattern?.op === "value" && typeof pattern.args === "string") checkPattern(pattern, pattern.args);
    }
    if (node.op !== "rcall" || !binders.has(node.args[0])) {
      for (const child of childrenOf(node.args)) visit(child, hidden);
      return;
    }
    const [method, receiver, [name, ...rest]] = node.args;
    visit(receiver, hidden);
    const inner = name?.op === "id" ? new Set([...hidden, name.args]) : hidden;
    for (const [at, argument] of rest.entries()) visit(argument, method === "bind" && at === 0 ? hidden : inner);
  };
  const checkMember = ([of, member]: readonly [ASTNode, string], hidden: ReadonlySet<string>): void => {
    const members = of.op === "id" && !hidden.has(of.args) ? variables.get(of.args) : undefined;
    if (of.op !== "id" || members === undefined || members.includes(member)) return;
    const meant = didYouMean(member, members);
    refuse(of, `${of.args} has no member ${member}${meant === null ? "" : `. ${meant}`}`);
  };
  const checkPattern = (node: ASTNode, pattern: string): void => {
    try {
      compiledPattern(pattern);
    } catch (error) {
      refuse(node, problemOf(error, "").message);
    }
  };
  visit(root, new Set());
  return { change, misuse };
}

function* childrenOf(args: unknown): Generator<ASTNode> {
  if (Array.isArray(args)) for (const each of args) yield* childrenOf(each);
  else if (typeof args === "object" && args !== null && "op" in args && "args" in args) yield args as ASTNode;
}
