import { isObject, type Json, type JsonObject } from "../json.js";
import { visibleLine } from "./escape.js";
import { describePem, isPem } from "./pem.js";

const bareWord = /^[A-Za-z][A-Za-z0-9._:/-]*$/;
const hostname = /^[0-9][A-Za-z0-9-]*(?:\.[A-Za-z0-9-]+)*\.[A-Za-z][A-Za-z0-9-]*(?::\d+)?$/;
const reservedWord = /^(?:true|false|null|yes|no|on|off|~)$/i;

/** A string, number, boolean or null on one line; strings in quotes, certificates in a few words. */
export function formatScalar(value: string | number | boolean | null): string {
  if (typeof value !== "string") return String(value);
  return isPem(value) ? describePem(value) : visibleLine(JSON.stringify(value));
}

/** A value on one line, as flow-style YAML: `{name: api}`, `[a.example:443, "x y"]`. A lone `{id}` is just the id. */
export function formatFlow(value: Json): string {
  return formatFlowAt(value, 0);
}

function formatFlowAt(value: Json, depth: number): string {
  if (typeof value === "string")
    return (bareWord.test(value) && !reservedWord.test(value)) || hostname.test(value) ? value : formatScalar(value);
  if (typeof value !== "object" || value === null) return formatScalar(value);
  if (depth >= 20) return "…";
  if (isReference(value) && typeof value.id === "string") return formatFlowAt(value.id, depth);
  if (isList(value)) return `[${value.map((item) => formatFlowAt(item, depth + 1)).join(", ")}]`;
  const members = membersOf(value).map(([name, member]) => `${visibleLine(name)}: ${formatFlowAt(member, depth + 1)}`);
  return `{${members.join(", ")}}`;
}

/** Whether a value is `{id}`, `{name}` or `{address}` and nothing more. */
export function isReference(value: Json): value is JsonObject {
  if (!isObject(value)) return false;
  const [first, ...rest] = membersOf(value);
  if (first === undefined || rest.length > 0) return false;
  return ["id", "name", "address"].includes(first[0]) && typeof first[1] === "string";
}

/** The members of an object that are there. */
export function membersOf(value: JsonObject): readonly (readonly [string, Json])[] {
  const members: (readonly [string, Json])[] = [];
  for (const [name, member] of Object.entries(value)) if (member !== undefined) members.push([name, member]);
  return members;
}

/** `Array.isArray` that keeps the element type of a read-only array. */
export function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}
