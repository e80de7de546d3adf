import type { Secret } from "../secret.js";

/** A value of a spec in normal form: JSON, with secrets wrapped. */
export type Value = null | boolean | number | string | Secret | readonly Value[] | ValueObject;

/** An object of values. An absent member reads as `undefined`. */
export interface ValueObject {
  readonly [member: string]: Value | undefined;
}

/**
 * The fields of one resource by the API's names.
 * References are `{id}` (a live id) or `{name}` (something to be made); a hostport is a string or `{address: name}`.
 */
export type Spec = ValueObject;
