import type { Manifest } from "../manifest/manifest.js";
import { type ModuleKind, moduleKinds } from "./names.js";
import { specFromManifest } from "./normal-form.js";
import { kinds } from "./registry.js";

export interface ModulesPlace {
  readonly kind: ModuleKind;
  readonly id: string;
  readonly path: string;
}

/** The modules of HTTPS edges and routes that manifests name. */
export function modulesNamed(
  manifests: readonly Manifest[],
): readonly (ModulesPlace & { readonly names: readonly string[] })[] {
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
