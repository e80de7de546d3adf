import { isObject } from "../../json.js";

/** Whether a value inside a policy names the source of a secret: `env` or `file`, a text, and nothing else. */
export function isSource(value: unknown): value is { readonly env: string } | { readonly file: string } {
  if (!isObject(value)) return false;
  const [[member, name] = [], ...rest] = Object.entries(value);
  return rest.length === 0 && (member === "env" || member === "file") && typeof name === "string";
}

/** Whether a document has something in it that a manifest would take for a source. */
export function holdsSource(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  return isSource(value) || Object.values(value).some(holdsSource);
}
