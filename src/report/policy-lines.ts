import { isObject, type Json } from "../json.js";
import { parseJson } from "../parse-json.js";
import { visibleLine } from "./escape.js";
import { isList, membersOf, formatScalar } from "./flow.js";

const shortestPolicy = 24;
const deepestPolicy = 40;

/** The JSON document in a text (a traffic policy), or null when the text is short or something else. */
export function parseJsonText(text: string): Json | null {
  if (text.length < shortestPolicy || !/^\s*[{[]/.test(text)) return null;
  const parsed = parseJson(text);
  // What stands in a JSON text is JSON.
  const value = "value" in parsed ? (parsed.value as Json) : null;
  return isObject(value) || Array.isArray(value) ? value : null;
}

// The order in which people write rules; two policies that differ in the order of keys alone read the same.
const keyOrder = ["enabled", "name", "type", "expressions", "actions", "config"];

/** A traffic policy as pretty-printed JSON in lines, its keys in one fixed order. */
export function policyLines(value: Json): readonly string[] {
  const lines: string[] = [];
  appendPolicy(lines, value, "", "", "", 0);
  return lines;
}

function appendPolicy(lines: string[], value: Json, indent: string, key: string, comma: string, depth: number): void {
  const head = indent + key;
  if (typeof value !== "object" || value === null) {
    lines.push(head + formatScalar(value) + comma);
    return;
  }
  const entries = isList(value)
    ? value.map((item) => ["", item] as const)
    : inKeyOrder(membersOf(value)).map(([name, member]) => [`${visibleLine(JSON.stringify(name))}: `, member] as const);
  const [open, close] = isList(value) ? ["[", "]"] : ["{", "}"];
  if (entries.length === 0 || depth >= deepestPolicy) {
    lines.push(`${head}${open}${entries.length === 0 ? "" : "…"}${close}${comma}`);
    return;
  }
  lines.push(head + open);
  for (const [index, [name, member]] of entries.entries()) {
    appendPolicy(lines, member, `${indent}  `, name, index < entries.length - 1 ? "," : "", depth + 1);
  }
  lines.push(indent + close + comma);
}

function inKeyOrder(members: readonly (readonly [string, Json])[]): readonly (readonly [string, Json])[] {
  const rank = (name: string): number => {
    const place = keyOrder.indexOf(name);
    return place < 0 ? keyOrder.length : place;
  };
  return [...members].sort(([a], [b]) => rank(a) - rank(b) || (a < b ? -1 : a > b ? 1 : 0));
}
