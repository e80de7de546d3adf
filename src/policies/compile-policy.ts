import { type ASTNode, Environment } from "@marcbachmann/cel-js";
import { RE2JS } from "re2js";
import { isObject } from "../core/json.js";
import { cut } from "../core/text.js";
import { type Judgement, leftOut, mostHits, type PolicyHit, type PolicyRequest } from "./plan-policy.js";
import { membersAt } from "../schema/schema-part.js";

type CompiledPolicy = Readonly<{
  perChange: boolean;
  holds: (variables: Readonly<{ change?: unknown; plan: unknown }>) => boolean;
}>;

const options = {
  // A list of allowed values may hold null, too.
  homogeneousAggregateLiterals: false,
  enableOptionalTypes: true,
  limits: { maxAstNodes: 2000, maxDepth: 50 },
} as const;

const aboutPlan = new Environment(options).registerVariable("plan", "map");

const environment = aboutPlan.clone().registerVariable("change", "map");

const schemaOf = (members: readonly string[]): { [member: string]: "dyn" } =>
  Object.fromEntries(members.map((name) => [name, "dyn"]));

/** Finds misspelt members, and refuses much else that is right. */
const strict = new Environment(options)
  .registerVariable({
    name: "plan",
    schema: schemaOf(membersAt("plan.schema.json", []).filter((name) => !leftOut.has(name))),
  })
  .registerVariable({
    name: "change",
    schema: schemaOf([...membersAt("plan.schema.json", ["changes", 0]), "kind", "name", "before", "after"]),
  });

export function compilePolicy(expression: string): CompiledPolicy | string {
  try {
    const parsed = environment.parse(expression);
    const misuse = misuseIn(parsed.ast);
    if (misuse !== null) return withPlace(misuse.message, expression, misuse.start);
    const { error, type, valid } = parsed.check();
    if (!valid) return problemOf(error, expression);
    if (type !== "bool" && type !== "dyn") return wrongType(type);
    const strictly = problemOf(strict.check(expression).error, expression);
    if (strictly.startsWith("No such key")) return strictly;
    return {
      // A variable of a macro may have the name, too.
      perChange: !aboutPlan.check(expression).valid,
      holds: (given) => {
        const outcome: unknown = parsed(given);
        if (typeof outcome !== "boolean") throw new TypeError(wrongType(typeof outcome));
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

function problemOf(error: unknown, expression: string): string {
  if (!(error instanceof Error)) return "it can't be evaluated";
  const { range, summary = error.message } = error as Error & { readonly range?: { start: number }; summary?: string };
  const message = cut(summary, 200);
  return range === undefined ? message : withPlace(message, expression, range.start);
}

function withPlace(message: string, expression: string, offset: number): string {
  const lines = expression.slice(0, offset).split("\n");
  return `${message} (line ${lines.length}, column ${(lines.at(-1)?.length ?? 0) + 1} of the expression)`;
}

function misuseIn(args: unknown): Readonly<{ message: string; start: number }> | null {
  if (Array.isArray(args)) return args.map(misuseIn).find((found) => found !== null) ?? null;
  if (typeof args !== "object" || args === null || !("op" in args && "args" in args)) return null;
  const node = args as ASTNode;
  // Their memory has no bound.
  if ((node.op === "value" && node.args instanceof Uint8Array) || (node.op === "call" && node.args[0] === "bytes"))
    return { message: "bytes can't be used: a plan has none", start: node.start };
  const [pattern] = node.op === "rcall" && node.args[0] === "matches" ? node.args[2] : [];
  if (pattern?.op === "value" && typeof pattern.args === "string" && !isPattern(pattern.args))
    return { message: `${JSON.stringify(pattern.args)} is not a pattern of RE2`, start: pattern.start };
  return misuseIn(node.args);
}

function isPattern(text: string): boolean {
  try {
    return RE2JS.compile(text) !== null;
  } catch {
    return false;
  }
}

/** Once for each change, or once when it is about the plan as a whole; without a plan, expressions are only checked. */
export function evaluatePolicies(
  { expressions, plan: planText }: PolicyRequest,
  onPolicy: (index: number) => void,
): Judgement {
  const plan = planText === null ? null : celValue(JSON.parse(planText));
  const changes = changesOf(plan);
  const hits: PolicyHit[] = [];
  const perChange: boolean[] = [];
  for (const [policy, expression] of expressions.entries()) {
    onPolicy(policy);
    const compiled = compilePolicy(expression);
    perChange.push(typeof compiled !== "string" && compiled.perChange);
    if (typeof compiled === "string") hits.push({ policy, address: null, error: compiled });
    else if (plan !== null)
      for (const change of compiled.perChange ? changes : [null]) {
        const address = change === null ? null : String(change.get("address"));
        try {
          if (compiled.holds(change === null ? { plan } : { change, plan }))
            hits.push({ policy, address, error: null });
        } catch (error) {
          hits.push({ policy, address, error: problemOf(error, expression) });
        }
        if (hits.length > mostHits) return { hits: hits.slice(0, mostHits), perChange, more: true };
      }
  }
  return { hits, perChange, more: false };
}

/** An object would have a prototype: a plan's members may have any name. */
type Members = Map<string, unknown>;

function changesOf(plan: unknown): readonly Members[] {
  return mapsIn(plan, "changes").map((change) => {
    const [kind = "", ...name] = String(change.get("address")).split("/");
    const fields = mapsIn(change, "fields");
    change.set("kind", kind).set("name", name.join("/"));
    return change.set("before", nested(fields, "before")).set("after", nested(fields, "after"));
  });
}

function mapsIn(value: unknown, member: string): readonly Members[] {
  const list: unknown = value instanceof Map ? value.get(member) : null;
  return Array.isArray(list) ? list.filter((item) => item instanceof Map) : [];
}

function nested(fields: readonly Members[], side: "before" | "after"): Members {
  const shape: Members = new Map([["spec", new Map()]]);
  for (const field of fields) {
    const [root = "", name = "", ...rest] = String(field.get("path")).split(".");
    const group = memberOf(shape, root);
    const module = rest.length === 0 ? group : memberOf(group, name);
    const value = field.get(side) ?? null;
    if (value !== null) module.set(rest.length === 0 ? name : rest.join("."), value);
  }
  return shape;
}

function memberOf(members: Members, name: string): Members {
  const known = members.get(name);
  const member: Members = new Map(known instanceof Map ? known : []);
  members.set(name, member);
  return member;
}

function celValue(value: unknown): unknown {
  if (typeof value === "number") return Number.isSafeInteger(value) ? BigInt(value) : value;
  if (Array.isArray(value)) return value.map(celValue);
  return isObject(value) ? new Map(Object.entries(value).map(([name, part]) => [name, celValue(part)])) : value;
}
