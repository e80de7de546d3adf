import type { Spec, Value, ValueObject } from "../json.js";
import { type Kind, fieldList } from "./kind.js";
import { type Metadata, readMarker } from "./marker.js";

/** What one object of the API says, in normal form. */
export interface LiveNormalForm {
  readonly spec: Spec;
  readonly metadata: Metadata;
}

// What was made ahead of the plan, see `prepareSpec`. The commands alone do that: nobody changes what they load and list.
const specs = new WeakMap<ValueObject, Spec>();
const reads = new WeakMap<object, LiveNormalForm>();

/** Brings a manifest to normal form ahead of the plan, which finds it then. It must not be changed any more. */
export function prepareSpec(kind: Kind, given: ValueObject): void {
  specs.set(given, specFromManifest(kind, given));
}

/** Brings what the API returned to normal form ahead of the plan, which finds it then. It must not be changed any more. */
export function prepareWire(kind: Kind, wire: { readonly [member: string]: unknown }): void {
  reads.set(wire, readWire(kind, wire));
}

/** Normal form of what a manifest says; what it leaves out stays absent until it is settled. */
export function specFromManifest(kind: Kind, given: ValueObject): Spec {
  const known = specs.get(given);
  if (known !== undefined) return known;
  const spec: Record<string, Value> = {};
  for (const { field, name } of fieldList(kind.fields)) {
    const value = given[name];
    if (value === undefined) continue;
    // Null is absent for every field but modules that inherit: there it says "must not exist".
    if (value === null && field.module === undefined) continue;
    spec[name] = field.codec.fromManifest(value);
  }
  return spec;
}

/** Normal form of what the API returned. Server-computed members and unknown ones are left out. */
export function readWire(kind: Kind, wire: { readonly [member: string]: unknown }): LiveNormalForm {
  const known = reads.get(wire);
  if (known !== undefined) return known;
  const metadata = readMarker(wire["metadata"]);
  const spec: Record<string, Value> = {};
  for (const { field, name } of fieldList(kind.fields)) {
    if (field.writeOnly === true) continue;
    spec[name] = field.marker === true ? metadata.user : field.codec.fromWire(wire[name] as Value | undefined);
  }
  return { spec, metadata };
}
