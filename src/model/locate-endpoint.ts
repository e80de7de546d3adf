import { moduleModels, resourceModels } from "../generated/resource-models.js";
import { type ListedKind, collectionOf, listedKinds } from "../kinds/names.js";
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
export function locateEndpoint(path: string, { moduleEndpoints }: ModelOptions): Endpoint | null {
  for (const one of routes) {
    const found = idsIn(path, one);
    if (found === null) continue;
    const ids = found.map(decoded);
    const endpoint = one.at(ids.filter((id) => id !== null));
    if (ids.includes(null)) return null;
    if (endpoint.of !== "resource-module") return endpoint;
    const { kind, module } = endpoint;
    const isSpecified = kinds[kind].fields[module]?.module?.endpoint === true;
    return isSpecified || moduleEndpoints.includes(module) ? endpoint : null;
  }
  return null;
}

interface Route {
  readonly segments: readonly string[];
  readonly at: (ids: readonly string[]) => Endpoint;
}

/** @param template a path with a name in braces for each id */
function route(template: string, at: Route["at"]): Route {
  return { segments: template.split("/"), at };
}

/** The segments of a path that stand for ids; null = another route. */
function idsIn(path: string, { segments }: Route): readonly string[] | null {
  const parts = path.split("/");
  const isId = (index: number): boolean => segments[index]?.startsWith("{") === true;
  const fits = parts.every((part, index) => (isId(index) ? part !== "" : part === segments[index]));
  return fits && parts.length === segments.length ? parts.filter((_, index) => isId(index)) : null;
}

const routes: readonly Route[] = [
  ...listedKinds.flatMap((kind) => {
    const { path } = collectionOf(kind);
    return [
      route(path, () => ({ of: "collection", kind })),
      route(`${path}/{id}`, ([id = ""]) => ({ of: "resource", kind, id })),
      ...Object.entries(resourceModels[kind].modules ?? {}).map(([module, read]) =>
        route(`${path}/{id}/${module}`, ([id = ""]) => ({ of: "resource-module", kind, id, module, read })),
      ),
    ];
  }),
  ...Object.values(moduleModels).flatMap(({ modules, path }) =>
    Object.entries(modules).map(([module, found]) =>
      route(`${path}/${module}`, (ids) => {
        const rest = ids.map(encodeURIComponent);
        return {
          of: "unlisted-module",
          path: `${path}/${module}`.replaceAll(/\{\w+\}/gu, () => rest.shift() ?? ""),
          ...found,
        };
      }),
    ),
  ),
];

/** A decoded path segment, or null when its escapes are broken. */
function decoded(segment: string): string | null {
  try {
    return decodeURIComponent(segment);
  } catch {
    return null;
  }
}
