/** Any JSON value, read-only. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;

/** A JSON object. An absent member reads as `undefined`. */
export interface JsonObject {
  readonly [member: string]: Json | undefined;
}

/** Whether `value` is a JSON object (not null, not an array). */
export function isObject(value: unknown): value is { readonly [member: string]: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
