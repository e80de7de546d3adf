import type { Spec, Value, ValueObject } from "../core/json.js";
import type { Kind } from "./kind.js";
import { type Metadata, readMarker } from "./marker.js";
import { type ModuleKind, moduleKinds } from "./names.js";
import { kinds } from "./registry.js";
import type { Manifest } from "../manifest/manifest.js";

/** Without defaults. */
export function specFromManifest(kind: Kind, given: ValueObject): Spec {
  const spec: Record<string, Value> = {};
  for (const { field, name } of kind.fieldList) {
    const value = given[name];
    if (value === undefined) continue;
    // A module that inherits must not exist then.
    if (value === null && field.module === undefined) continue;
    spec[name] = field.codec.fromManifest(value);
  }
  return spec;
}

export function readWire(kind: Kind, wire: ValueObject): Readonly<{ spec: Spec; metadata: Metadata }> {
  const metadata = readMarker(wire["metadata"]);
  const spec: Record<string, Value> = {};
  for (const { field, name } of kind.fieldList) {
    if (field.writeOnly === true) continue;
    spec[name] = field.marker === true ? metadata.user : field.codec.fromWire(wire[name]);
  }
  return { spec, metadata };
}

export type ModulesPlace = Readonly<{
  kind: ModuleKind;
  id: string;
  path: string;
}>;

export function modulesNamed(manifests: readonly Manifest[]) {
  const found = new Map<string, ModulesPlace & { readonly names: readonly string[] }>();
  for (const { id, kind: name, spec } of manifests) {
    const kind = moduleKinds.find((one) => one === name);
    if (kind === undefined || id === null) continue;
    const known = found.get(`${kind}/${id}`)?.names ?? [];
    const names = moduleNames(kind).filter((module) => known.includes(module) || spec[module] !== undefined);
    const path = kinds[kind].path(encodeURIComponent(id), specFromManifest(kinds[kind], spec));
    found.set(`${kind}/${id}`, { kind, id, path, names });
  }
  return [...found.values()];
}

export function moduleNames(kind: ModuleKind): readonly string[] {
  return kinds[kind].fieldList.flatMap(({ field, name }) => (field.module === undefined ? [] : [name]));
}
