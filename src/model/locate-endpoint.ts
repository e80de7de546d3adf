import { moduleModels, resourceModels } from "../generated/resource-models.js";
import { type ListedKind, collectionOf, listedKinds } from "../kinds/names.js";
import { kinds } from "../kinds/registry.js";
import type { ModuleModel, ModuleReader } from "./resource-model.js";

export type Endpoint =
  | Readonly<{ of: "collection"; kind: ListedKind }>
  | Readonly<{ of: "resource"; kind: ListedKind; id: string }>
  | Readonly<{
      of: "resource-module";
      kind: ListedKind;
      id: string;
      title: string;
      read: ModuleReader;
    }>
  | (Readonly<{ of: "unlisted-module"; path: string }> & ModuleModel["modules"][string]);

/** Null = nothing is there. */
export function locateEndpoint(path: string, moduleEndpoints: readonly string[] = []): Endpoint | null {
  for (const kind of listedKinds) {
    const { path: collection } = collectionOf(kind);
    if (path === collection) return { of: "collection", kind };
    if (!path.startsWith(`${collection}/`)) continue;
    const [segment = "", title, ...more] = path.slice(collection.length + 1).split("/");
    const id = decoded(segment);
    if (!id || more.length > 0) return null;
    if (title === undefined) return { of: "resource", kind, id };
    const read = resourceModels[kind].modules?.[title];
    const isServed = kinds[kind].fields[title]?.module?.endpoint === true || moduleEndpoints.includes(title);
    return read !== undefined && isServed ? { of: "resource-module", kind, id, title, read } : null;
  }
  const parts = path.split("/");
  const name = parts.pop() ?? "";
  for (const { modules, path: template } of Object.values(moduleModels)) {
    const wanted = template.split("/");
    const isThere =
      parts.length === wanted.length &&
      wanted.every((part, at) => (part.startsWith("{") ? parts[at] !== "" : parts[at] === part));
    const found = isThere && Object.hasOwn(modules, name) ? modules[name] : undefined;
    if (found !== undefined) return { of: "unlisted-module", path, ...found };
  }
  return null;
}

function decoded(segment: string): string | null {
  try {
    return decodeURIComponent(segment);
  } catch {
    return null;
  }
}
