import { isObject } from "../core/json.js";
import { compilePolicy, problemOf } from "./compile-policy.js";
import { type Judgement, type PolicyHit, mostHits } from "./plan-policy.js";

export function checkExpressions(expressions: readonly string[]): readonly (string | null)[] {
  return expressions.map((expression) => {
    const compiled = compilePolicy(expression);
    return typeof compiled === "string" ? compiled : null;
  });
}

/** Once for each change, or once when the expression is about the plan as a whole. */
export function evaluatePolicies(
  expressions: readonly string[],
  planText: string,
  onPolicy: (index: number) => void,
): Judgement {
  const plan = celValue(JSON.parse(planText));
  const changes = changesOf(plan);
  const hits: PolicyHit[] = [];
  const perChange: boolean[] = [];
  for (const [index, expression] of expressions.entries()) {
    onPolicy(index);
    const compiled = compilePolicy(expression);
    perChange.push(typeof compiled !== "string" && compiled.perChange);
    const add = (address: string | null, error: string | null): void => {
      hits.push({ policy: index, address, error });
    };
    if (typeof compiled === "string") add(null, compiled);
    else {
      for (const { address, change } of compiled.perChange ? changes : [{ address: null, change: null }]) {
        try {
          if (compiled.holds(change === null ? { plan } : { change, plan })) add(address, null);
        } catch (error) {
          add(address, problemOf(error, expression));
        }
        if (hits.length > mostHits) return { hits: hits.slice(0, mostHits), perChange, more: true };
      }
    }
  }
  return { hits, perChange, more: false };
}

function changesOf(plan: unknown): readonly { readonly address: string; readonly change: unknown }[] {
  const changes: unknown[] = isObject(plan) && Array.isArray(plan["changes"]) ? plan["changes"] : [];
  return changes.flatMap((change) => {
    if (!isObject(change)) return [];
    const address = String(change["address"]);
    const slash = address.indexOf("/");
    const fields: readonly unknown[] = Array.isArray(change["fields"]) ? change["fields"] : [];
    Object.assign(change, {
      kind: address.slice(0, slash),
      name: address.slice(slash + 1),
      before: nested(fields, "before"),
      after: nested(fields, "after"),
    });
    return [{ address, change }];
  });
}

/** The names may come from a plan that somebody wrote, and an object would have a prototype. */
type Members = Map<string, unknown>;

/** One side of all changed fields, in the shape of a manifest. */
function nested(fields: readonly unknown[], side: "before" | "after"): Members {
  const spec: Members = new Map();
  const shape = new Map([["spec", spec]]);
  for (const field of fields) {
    if (!isObject(field)) continue;
    const [root = "", name = "", ...rest] = String(field["path"]).split(".");
    const group = shape.get(root) ?? new Map<string, unknown>();
    shape.set(root, group);
    const module = rest.length === 0 ? group : membersOf(group.get(name));
    if (module !== group) group.set(name, module);
    const value = field[side] ?? null;
    if (value !== null) module.set(rest.length === 0 ? name : rest.join("."), value);
  }
  return shape;
}

function membersOf(value: unknown): Members {
  if (value instanceof Map) return value;
  return new Map(isObject(value) ? Object.entries(value) : []);
}

/**
 * In place. Whole numbers become integers; an object with a member that every JavaScript object has becomes a `Map`.
 */
function celValue(value: unknown): unknown {
  if (typeof value === "number") return Number.isSafeInteger(value) ? BigInt(value) : value;
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) value[index] = celValue(item);
    return value;
  }
  if (!isObject(value)) return value;
  if (Object.hasOwn(value, "constructor") || Object.hasOwn(value, "__proto__")) {
    return new Map(Object.entries(value).map(([name, member]) => [name, celValue(member)]));
  }
  const object: { [name: string]: unknown } = value;
  for (const name of Object.keys(object)) {
    const member = object[name];
    if (typeof member === "number" || (typeof member === "object" && member !== null)) object[name] = celValue(member);
  }
  return object;
}
