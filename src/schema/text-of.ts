/** A value that a schema or a violation holds, as text; "" for what is not there. */
export function textOf(value: unknown): string {
  if (value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}
