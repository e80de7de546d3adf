import { moduleModels, resourceModels } from "../generated/resource-models.js";
import { type ListedKind, listedKinds } from "../kinds/names.js";
import { kinds } from "../kinds/registry.js";
import type { ModelOptions } from "./model-options.js";
import type { ModuleReader } from "./resource-model.js";

/** What a path leads to. */
export type Endpoint =
  | { readonly of: "collection"; readonly kind: ListedKind }
  | { readonly of: "resource"; readonly kind: ListedKind; readonly id: string }
  | {
      readonly of: "resource-module";
      readonly kind: ListedKind;
      readonly id: string;
      readonly module: string;
      readonly read: ModuleReader;
    }
  | { readonly of: "unlisted-module"; readonly path: string; readonly title: string; readonly read: ModuleReader };

/** What a path leads to, or null when the service has nothing there. */
export function locateEndpoint(path: string, options: ModelOptions): Endpoint | null {
  const collection = kindAt.get(path);
  if (collection !== undefined) return { of: "collection", kind: collection };
  const parent = splitPath(path);
  if (parent === null) return null;
  const kind = kindAt.get(parent.path);
  if (kind !== undefined) return { of: "resource", kind, id: parent.last };
  const grandparent = splitPath(parent.path);
  const owner = kindAt.get(grandparent?.path ?? "");
  if (owner === undefined || grandparent === null) return locateUnlisted(path);
  return locateModule({ kind: owner, id: grandparent.last, module: parent.last }, options);
}

const kindAt: ReadonlyMap<string, ListedKind> = new Map(
  listedKinds.map((kind) => [kinds[kind].collection?.path ?? "", kind]),
);

/** The module of a resource, when its declaration or the options give it an endpoint. */
function locateModule(
  place: { readonly kind: ListedKind; readonly id: string; readonly module: string },
  options: ModelOptions,
): Endpoint | null {
  const { kind, module } = place;
  const { modules = {} } = resourceModels[kind];
  const read = Object.hasOwn(modules, module) ? modules[module] : undefined;
  if (read === undefined) return null;
  const specified = kinds[kind].fields[module]?.module?.endpoint === true;
  return specified || options.moduleEndpoints.includes(module) ? { of: "resource-module", ...place, read } : null;
}

/** A module of something that no list shows. */
function locateUnlisted(path: string): Endpoint | null {
  const given = path.split("/").map(decoded);
  const module = given.pop();
  for (const { path: template, modules } of Object.values(moduleModels)) {
    const found = module != null && Object.hasOwn(modules, module) ? modules[module] : undefined;
    const owner = found === undefined ? null : fillTemplate(template, given);
    if (found !== undefined && owner !== null) return { of: "unlisted-module", path: `${owner}/${module}`, ...found };
  }
  return null;
}

/** The template with encoded ids for its braces; null when the segments are not what it wants. */
function fillTemplate(template: string, segments: readonly (string | null)[]): string | null {
  const wanted = template.split("/");
  if (wanted.length !== segments.length) return null;
  const filled = wanted.map((part, index) => {
    const segment = segments[index] ?? "";
    if (part.startsWith("{")) return segment === "" ? null : encodeURIComponent(segment);
    return segment === part ? part : null;
  });
  return filled.includes(null) ? null : filled.join("/");
}

/** A path without its last segment, and that segment decoded; null when there is none or it is empty. */
function splitPath(path: string): { readonly path: string; readonly last: string } | null {
  const slash = path.lastIndexOf("/");
  const last = slash < 0 ? null : decoded(path.slice(slash + 1));
  return last ? { path: path.slice(0, slash), last } : null;
}

/** A decoded path segment, or null when its escapes are broken. */
function decoded(segment: string): string | null {
  if (!segment.includes("%")) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    return null;
  }
}
