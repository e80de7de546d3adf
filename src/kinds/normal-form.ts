import type { Spec, Value, ValueObject } from "../json.js";
import type { Kind } from "./kind.js";
import { type Metadata, readMarker } from "./marker.js";

/** What one object of the API says, in normal form. */
export interface LiveNormalForm {
  readonly spec: Spec;
  readonly metadata: Metadata;
}

/** Normal form of what a manifest says; what it leaves out stays absent until defaults are applied. */
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

/** Normal form of what the API returned. Server-computed members and unknown ones are left out. */
export function readWire(kind: Kind, wire: { readonly [member: string]: unknown }): LiveNormalForm {
  const metadata = readMarker(wire["metadata"]);
  const spec: Record<string, Value> = {};
  for (const { field, name } of kind.fieldList) {
    if (field.writeOnly === true) continue;
    spec[name] = field.marker === true ? metadata.user : field.codec.fromWire(wire[name] as Value | undefined);
  }
  return { spec, metadata };
}

/**
 * Normal forms that were made ahead of a plan, while pages were on their way. What was not prepared is read when it is
 * asked for, and not remembered. Whoever prepares an object promises not to change it while these forms are in use.
 */
export class NormalForms {
  readonly #specs = new WeakMap<ValueObject, Spec>();
  #reads = new WeakMap<object, LiveNormalForm>();

  /** Brings a manifest's `spec` to normal form ahead of the plan. */
  prepareSpec(kind: Kind, given: ValueObject): Spec {
    const known = this.#specs.get(given);
    if (known !== undefined) return known;
    const spec = specFromManifest(kind, given);
    this.#specs.set(given, spec);
    return spec;
  }

  /** Brings what the API returned to normal form ahead of the plan. */
  prepareWire(kind: Kind, wire: { readonly [member: string]: unknown }): LiveNormalForm {
    const form = readWire(kind, wire);
    this.#reads.set(wire, form);
    return form;
  }

  /** Forgets the normal forms of what the API returned: they take as much memory as the lists. */
  forgetWires(): void {
    this.#reads = new WeakMap();
  }

  /** As {@link specFromManifest}. */
  specOf(kind: Kind, given: ValueObject): Spec {
    return this.#specs.get(given) ?? specFromManifest(kind, given);
  }

  /** As {@link readWire}. */
  liveOf(kind: Kind, wire: { readonly [member: string]: unknown }): LiveNormalForm {
    return this.#reads.get(wire) ?? readWire(kind, wire);
  }
}
