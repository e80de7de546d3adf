import type { Json } from "../core/json.js";
import { Rejection } from "./request.js";

/** `at` names the value. */
export type Reader<T extends Json = Json> = (value: Json, at: string) => T;

function string(value: Json, at: string): string {
  if (typeof value !== "string") throw wrongType(at, "a string", value);
  return value;
}

export function text(maxBytes = Infinity): Reader<string> {
  return (value, at) => {
    const bytes = Buffer.byteLength(string(value, at));
    if (bytes > maxBytes)
      throw new Rejection("value-too-long", `${at} has ${bytes} bytes; at most ${maxBytes} are allowed.`);
    return string(value, at);
  };
}

export const filledText: Reader<string> = (value, at) => {
  if (value === "") throw new Rejection("value-invalid", `${at} must not be empty.`);
  return string(value, at);
};

export const flag: Reader<boolean> = (value, at) => {
  if (typeof value !== "boolean") throw wrongType(at, "true or false", value);
  return value;
};

export function oneOf(values: readonly string[]): Reader<string> {
  return (value, at) => {
    if (values.includes(string(value, at))) return string(value, at);
    throw new Rejection("value-invalid", `${at} must be one of ${values.join(", ")}.`);
  };
}

export function integer(least: number, most: number): Reader<number> {
  return (value, at) => {
    if (typeof value !== "number") throw wrongType(at, "a number", value);
    if (!Number.isInteger(value) || value < least || value > most)
      throw new Rejection("value-invalid", `${at} must be a whole number from ${least} to ${most}.`);
    return value;
  };
}

export function listOf(value: Json, at: string, items: string): readonly Json[] {
  if (!Array.isArray(value)) throw wrongType(at, `a list of ${items}`, value);
  return value as readonly Json[];
}

export function wrongType(at: string, wanted: string, value: Json | undefined): Rejection {
  return new Rejection("value-type", `${at} must be ${wanted}, not ${typeName(value)}.`);
}

function typeName(value: Json | undefined): string {
  if (value === undefined) return "absent";
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
