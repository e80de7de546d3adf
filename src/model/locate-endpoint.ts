import { resourceModels } from "../generated/resource-models.js";
import { type ListedKind, listedKinds } from "../kinds/names.js";
import { kinds } from "../kinds/registry.js";
import { readHttpsTermination, readTrafficPolicy, readWebhookVerification } from "./edge-modules.js";
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
  | { readonly of: "https-module"; readonly path: string; readonly title: string; readonly read: ModuleReader };

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
  if (owner === undefined || grandparent === null) return locateHttps(path);
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

/** Modules of HTTPS edges and routes. The edges and routes themselves exist by definition, as nothing lists them. */
function locateHttps(path: string): Endpoint | null {
  const [empty, edges, https, edge, ...rest] = path.split("/").map(decoded);
  if (empty !== "" || edges !== "edges" || https !== "https" || !edge) return null;
  const base = `/edges/https/${encodeURIComponent(edge)}`;
  const [first, route, module] = rest;
  if (rest.length === 1 && first === "tls_termination") {
    return { of: "https-module", path: `${base}/${first}`, title: "TLS termination", read: readHttpsTermination };
  }
  if (rest.length !== 3 || first !== "routes" || !route) return null;
  const place = `${base}/routes/${encodeURIComponent(route)}/${module}`;
  if (module === "webhook_verification") {
    return { of: "https-module", path: place, title: "webhook verification", read: readWebhookVerification };
  }
  if (module === "traffic_policy") {
    return { of: "https-module", path: place, title: "traffic policy", read: readTrafficPolicy };
  }
  return null;
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
