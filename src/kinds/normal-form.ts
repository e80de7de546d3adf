import type { Kind } from "./kind.js";
import type { Metadata } from "./marker.js";
import type { Spec, Value, ValueObject } from "./value.js";

/** Normal form of what a manifest says; what it leaves out stays absent until it is settled. */
export function specFromManifest(kind: Kind, given: ValueObject): Spec {
  const spec: Record<string, Value> = {};
  for (const name in kind.fields) {
    const field = kind.fields[name];
    const value = given[name];
    if (field === undefined || value === undefined) continue;
    // Null is absent for every field but modules that inherit: there it says "must not exist".
    if (value === null && field.module === undefined) continue;
    spec[name] = field.codec.fromManifest(value);
  }
  return spec;
}

/**
 * Normal form of what the API returned. Server-computed members and unknown ones are left out.
 * @param metadata what `wire.metadata` holds, when it was read before
 */
export function specFromWire(kind: Kind, wire: { readonly [member: string]: unknown }, metadata?: Metadata): Spec {
  const spec: Record<string, Value> = {};
  for (const name in kind.fields) {
    const field = kind.fields[name];
    if (field === undefined || field.writeOnly === true) continue;
    const known = field.marker === true ? metadata : undefined;
    spec[name] = known === undefined ? field.codec.fromWire(wire[name] as Value | undefined) : known.user;
  }
  return spec;
}
