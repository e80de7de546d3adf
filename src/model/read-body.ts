import { type Json, type JsonObject, isObject } from "../core/json.js";
import { Rejection } from "./request.js";

/** Reads one value of a body, or rejects the request. `at` names the value in messages. */
export type Reader<T extends Json = Json> = (value: Json, at: string) => T;

/**
 * Reads an object strictly: no unknown member, every required one.
 * @param at names the object in messages; empty for the whole body
 */
export function readObject(
  value: Json | undefined,
  at: string,
  shape: { readonly [member: string]: (value: Json, at: string) => Json | undefined },
  required: readonly string[] = [],
): JsonObject {
  const place = at === "" ? "the body" : at;
  if (value === undefined || !isObject(value)) {
    throw new Rejection("value-type", `${place} must be a JSON object, not ${typeName(value)}.`);
  }
  const result: Record<string, Json | undefined> = {};
  for (const [member, part] of Object.entries(value)) {
    const read = Object.hasOwn(shape, member) ? shape[member] : undefined;
    if (read === undefined) {
      const known = Object.keys(shape).join(", ");
      throw new Rejection(
        "member-unknown",
        `${place} has an unknown member "${shortened(member)}"; known are ${known}.`,
      );
    }
    result[member] = read(part ?? null, at === "" ? member : `${at}.${member}`);
  }
  for (const member of required) {
    if (!Object.hasOwn(result, member)) {
      throw new Rejection("member-missing", `${place} lacks the member "${member}".`);
    }
  }
  return result;
}

export function text(maxBytes = Infinity): Reader<string> {
  return (value, at) => {
    if (typeof value !== "string") throw wrongType(at, "a string", value);
    const bytes = Buffer.byteLength(value);
    if (bytes > maxBytes) {
      throw new Rejection("value-too-long", `${at} has ${bytes} bytes; at most ${maxBytes} are allowed.`);
    }
    return value;
  };
}

export const filledText: Reader<string> = (value, at) => {
  if (typeof value !== "string") throw wrongType(at, "a string", value);
  if (value === "") throw new Rejection("value-invalid", `${at} must not be empty.`);
  return value;
};

export const flag: Reader<boolean> = (value, at) => {
  if (typeof value !== "boolean") throw wrongType(at, "true or false", value);
  return value;
};

export function oneOf<T extends string>(values: readonly T[]): Reader<T> {
  return (value, at) => {
    const found = values.find((each) => each === value);
    if (typeof value !== "string") throw wrongType(at, "a string", value);
    if (found === undefined) throw new Rejection("value-invalid", `${at} must be one of ${values.join(", ")}.`);
    return found;
  };
}

export function integer(least: number, most: number): Reader<number> {
  return (value, at) => {
    if (typeof value !== "number") throw wrongType(at, "a number", value);
    if (!Number.isInteger(value) || value < least || value > most) {
      throw new Rejection("value-invalid", `${at} must be a whole number from ${least} to ${most}.`);
    }
    return value;
  };
}

/** Ids without repetition, in no order that means anything. */
export const ids: Reader<readonly string[]> = (value, at) => {
  if (!Array.isArray(value)) throw wrongType(at, "a list of ids", value);
  const read = (value as readonly Json[]).map((each, index) => filledText(each, `${at}[${index}]`));
  // Refs come back in any order; sorting them keeps a client from relying on its own.
  return [...new Set(read)].toSorted();
};

export function wrongType(at: string, wanted: string, value: Json): Rejection {
  return new Rejection("value-type", `${at} must be ${wanted}, not ${typeName(value)}.`);
}

function typeName(value: Json | undefined): string {
  if (value === undefined) return "absent";
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

function shortened(name: string): string {
  return name.length > 60 ? `${name.slice(0, 60)}…` : name;
}
