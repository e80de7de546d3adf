import type { ASTNode } from "@marcbachmann/cel-js";
import { didYouMean } from "../diagnostics/suggest.js";
import { planMembers } from "../generated/members.js";
import { leftOut } from "./plan-view.js";

/** The variables of an expression, and their members. */
const variables: ReadonlyMap<string, readonly string[]> = new Map([
  ["change", [...(planMembers["changes.*"] ?? []), "kind", "name", "before", "after"]],
  ["plan", (planMembers[""] ?? []).filter((name) => !leftOut.has(name))],
]);

/** A method that is called. */
type Call = ASTNode & { readonly op: "rcall" };

/** A member that is read. */
type Access = ASTNode & { readonly op: "." | ".?" };

/** Macros that give a name to a value: the name hides a variable in the arguments after it. */
const binders = new Set(["all", "exists", "exists_one", "filter", "map", "bind"]);

/** What an expression uses. */
export interface ExpressionUses {
  /** Whether it is about single changes. */
  readonly change: boolean;
  /** What can't be used; null = nothing. */
  readonly misuse: { readonly message: string; readonly node: ASTNode } | null;
}

/** What can be done with calls of `matches`. */
export interface MatchRules {
  /** The function that takes its place. */
  readonly linear: string;
  /** Why a pattern can't be used; null = it can. */
  readonly problemOf: (pattern: string) => string | null;
}

/**
 * Finds what an expression uses, before it is checked, and sends each call of `matches` to a function that takes linear
 * time: the library's own would try every way to match, which can take for ever.
 */
export function readExpression(root: ASTNode, rules: MatchRules): ExpressionUses {
  let change = false;
  let misuse: ExpressionUses["misuse"] = null;
  const refuse = (node: ASTNode, message: string): void => {
    misuse ??= { message, node };
  };

  const visit = (node: ASTNode, hidden: ReadonlySet<string>): void => {
    switch (node.op) {
      case "id":
        if (node.args === "change" && !hidden.has("change")) change = true;
        return;
      case "value":
        if (node.args instanceof Uint8Array) refuse(node, "bytes can't be used: a plan has none");
        return;
      case ".":
      case ".?":
        checkMember(node, hidden);
        break;
      case "call":
        // Their memory has no bound.
        if (node.args[0] === "bytes") refuse(node, "bytes can't be used: a plan has none");
        break;
      case "rcall":
        if (node.args[0] === "matches") makeLinear(node);
        if (binders.has(node.args[0])) return visitBinder(node, hidden);
        break;
      default:
        break;
    }
    for (const child of childrenOf(node.args)) visit(child, hidden);
  };

  const visitBinder = ({ args: [method, receiver, [name, ...rest]] }: Call, hidden: ReadonlySet<string>): void => {
    visit(receiver, hidden);
    const inner = name?.op === "id" ? new Set([...hidden, name.args]) : hidden;
    for (const [at, argument] of rest.entries()) visit(argument, method === "bind" && at === 0 ? hidden : inner);
  };

  const checkMember = ({ args: [of, member] }: Access, hidden: ReadonlySet<string>): void => {
    const members = of.op === "id" && !hidden.has(of.args) ? variables.get(of.args) : undefined;
    if (of.op !== "id" || members === undefined || members.includes(member)) return;
    const meant = didYouMean(member, members);
    refuse(of, `${of.args} has no member ${member}${meant === null ? "" : `. ${meant}`}`);
  };

  const makeLinear = (node: Call): void => {
    const [pattern] = node.args[2];
    node.args[0] = rules.linear;
    if (pattern?.op !== "value" || typeof pattern.args !== "string") return;
    const problem = rules.problemOf(pattern.args);
    if (problem !== null) refuse(pattern, problem);
  };

  visit(root, new Set());
  return { change, misuse };
}

function* childrenOf(args: unknown): Generator<ASTNode> {
  if (Array.isArray(args)) for (const each of args) yield* childrenOf(each);
  else if (isNode(args)) yield args;
}

function isNode(value: unknown): value is ASTNode {
  return typeof value === "object" && value !== null && "op" in value && "args" in value;
}
