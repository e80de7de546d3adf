import type { JsonObject, ValueObject } from "../core/json.js";
import type { LockObject } from "../kinds/lock-object.js";
import { type ListedKind, type ModuleKind, moduleKinds } from "../kinds/names.js";
import { specFromManifest } from "../kinds/normal-form.js";
import { kinds } from "../kinds/registry.js";
import type { Manifest } from "../manifest/manifest.js";

/** What the API returned, in the order of the pages, secrets wrapped. */
export interface Live {
  readonly lists: { readonly [K in ListedKind]: readonly JsonObject[] };
  /** Collections that the service refused to list while no manifest uses their kind: neither planned nor pruned. */
  readonly unreadable: readonly { readonly kind: ListedKind; readonly status: number }[];
  /** The account's locks, which are in none of the lists: they are nobody's resources. Absent = none. */
  readonly locks?: readonly LockObject[];
  /** Modules of HTTPS edges and routes, one entry for each manifest that names some. */
  readonly modules: readonly LiveModules[];
}

/** An HTTPS edge or route, of which some modules are looked at. */
export interface ModulesPlace {
  readonly kind: ModuleKind;
  readonly id: string;
  /** Below the base URL. */
  readonly path: string;
}

export interface LiveModules extends ModulesPlace {
  /** By module name, as GET returned them, with secrets wrapped. Null when it is not set. */
  readonly modules: { readonly [module: string]: ValueObject | null };
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
