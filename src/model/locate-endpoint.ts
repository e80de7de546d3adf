import { moduleModels, resourceModels } from "../generated/resource-models.js";
import { type ListedKind, collectionOf, listedKinds } from "../kinds/names.js";
import { kinds } from "../kinds/registry.js";
import type { ModelOptions } from "./model-options.js";
import type { ModuleReader } from "./resource-model.js";

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
  const parts = path.split("/");
  const isId = (segment: string | undefined): boolean => segment?.startsWith("{") === true;
  for (const [template, at] of routes) {
    const segments = template.split("/");
    const fits = parts.every((part, index) => (isId(segments[index]) ? part !== "" : part === segments[index]));
    if (!fits || parts.length !== segments.length) continue;
    const ids = parts.filter((_, index) => isId(segments[index])).map(decoded);
    if (ids.includes(null)) return null;
    const endpoint = at(...ids.map(String));
    if (endpoint.of !== "resource-module") return endpoint;
    const { kind, module } = endpoint;
    const isSpecified = kinds[kind].fields[module]?.module?.endpoint === true;
    return isSpecified || moduleEndpoints.includes(module) ? endpoint : null;
  }
  return null;
}

/** Paths with a name in braces for each id. */
const routes: readonly (readonly [template: string, at: (...ids: readonly string[]) => Endpoint])[] = [
  ...listedKinds.flatMap((kind): typeof routes => {
    const { path } = collectionOf(kind);
    const modules = Object.entries(resourceModels[kind].modules ?? {});
    return [
      [path, () => ({ of: "collection", kind })],
      [`${path}/{id}`, (id = "") => ({ of: "resource", kind, id })],
      ...modules.map(([module, read]): (typeof routes)[number] => [
        `${path}/{id}/${module}`,
        (id = "") => ({ of: "resource-module", kind, id, module, read }),
      ]),
    ];
  }),
  ...Object.values(moduleModels).flatMap(({ modules, path }) =>
    Object.entries(modules).map(([module, found]): (typeof routes)[number] => {
      const template = `${path}/${module}`;
      const at = (...ids: readonly string[]): Endpoint => {
        const rest = ids.map(encodeURIComponent);
        return { of: "unlisted-module", path: template.replaceAll(/\{\w+\}/gu, () => rest.shift() ?? ""), ...found };
      };
      return [template, at];
    }),
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
