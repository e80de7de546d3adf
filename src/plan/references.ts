import type { Spec } from "../json.js";
import type { Kind, Reference } from "../kinds/kind.js";
import { type LiveIndex, instanceKey } from "./live-resource.js";

/** The live resources that a spec refers to, as instance keys. What is not live or not listed is left out. */
export function referencesOf(kind: Kind, spec: Spec, index: LiveIndex): readonly string[] {
  const found: string[] = [];
  eachReference(kind, spec, (reference) => {
    const key = keyOf(reference, index);
    if (key !== null) found.push(key);
  });
  return found;
}

/** Visits every reference in a spec. */
export function eachReference(kind: Kind, spec: Spec, visit: (reference: Reference, field: string) => void): void {
  for (const name in kind.fields) {
    const field = kind.fields[name];
    const value = spec[name];
    if (field?.codec.references === undefined || value === undefined || value === null) continue;
    for (const reference of field.codec.references(value)) visit(reference, name);
  }
}

/** The instance key of a reference to something live; null for names, and for what the API doesn't list. */
export function keyOf(reference: Reference, index: LiveIndex): string | null {
  if ("name" in reference.target) return null;
  if ("addr" in reference.target) {
    const holder = index.byAddr.get(reference.target.addr.toLowerCase());
    return holder === undefined ? null : holder.key;
  }
  if (reference.kind === null) return null;
  const key = instanceKey(reference.kind, reference.target.id);
  return index.byInstance.has(key) ? key : null;
}
