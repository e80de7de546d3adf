import type { Spec, Value, ValueObject } from "../core/json.js";
import type { Kind } from "./kind.js";
import { type Metadata, readMarker } from "./marker.js";

export interface LiveNormalForm {
  readonly spec: Spec;
  readonly metadata: Metadata;
}

/** What the manifest leaves out stays absent until defaults are applied. */
export function specFromManifest(kind: Kind, given: ValueObject): Spec {
  const spec: Record<string, Value> = {};
  for (const { field, name } of kind.fieldList) {
    const value = given[name];
    if (value === undefined) continue;
    // Null is absent for every field but modules that inherit: there it says "must not exist".
    if (value === null && field.module === undefined) continue;
    spec[name] = field.codec.fromManifest(value);
  }
  return spec;
}

/** Server-computed members and unknown ones are left out. */
export function readWire(kind: Kind, wire: { readonly [member: string]: unknown }): LiveNormalForm {
  const metadata = readMarker(wire["metadata"]);
  const spec: Record<string, Value> = {};
  for (const { field, name } of kind.fieldList) {
    if (field.writeOnly === true) continue;
    spec[name] = field.marker === true ? metadata.user : field.codec.fromWire(wire[name] as Value | undefined);
  }
  return { spec, metadata };
}
