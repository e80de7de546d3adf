import type { Kind } from "./kind.js";
import type { Spec, Value, ValueObject } from "./value.js";

/** Normal form of what a manifest says; what it leaves out stays absent until it is settled. */
export function specFromManifest(kind: Kind, given: ValueObject): Spec {
  const spec: Record<string, Value> = {};
  for (const [name, field] of Object.entries(kind.fields)) {
    const value = given[name];
    if (value === undefined) continue;
    // Null is absent for every field but modules that inherit: there it says "must not exist".
    if (value === null && field.module === undefined) continue;
    spec[name] = field.codec.fromManifest(value);
  }
  return spec;
}

/** Normal form of what the API returned. Server-computed members and unknown ones are left out. */
export function specFromWire(kind: Kind, wire: { readonly [member: string]: unknown }): Spec {
  const spec: Record<string, Value> = {};
  for (const [name, field] of Object.entries(kind.fields)) {
    if (field.writeOnly === true) continue;
    spec[name] = field.codec.fromWire(wire[name] as Value | undefined);
  }
  return spec;
}
