import type { ListedKind } from "../kinds/names.js";
import {
  type ModuleReader,
  type TlsEdgeModule,
  isTlsEdgeModule,
  readHttpsTermination,
  readTrafficPolicy,
  readWebhookVerification,
  specifiedModuleEndpoints,
} from "./edge-modules.js";
import type { ModelOptions } from "./model-options.js";
import { resourceModelAt, resourceModels } from "./resources/resource-models.js";

/** What a path names (specification, "Endpoints"). */
export type Endpoint =
  | { readonly of: "collection"; readonly kind: ListedKind }
  | { readonly of: "resource"; readonly kind: ListedKind; readonly id: string }
  | { readonly of: "tls-module"; readonly id: string; readonly module: TlsEdgeModule }
  | { readonly of: "https-module"; readonly path: string; readonly title: string; readonly read: ModuleReader };

/** The place that a path names, or null when the service has none there. */
export function locateEndpoint(path: string, options: ModelOptions): Endpoint | null {
  const collection = resourceModelAt(path);
  if (collection !== null) return { of: "collection", kind: collection.kind };
  const parent = splitPath(path);
  if (parent === null) return null;
  const model = resourceModelAt(parent.path);
  if (model !== null) return { of: "resource", kind: model.kind, id: parent.last };
  const grandparent = splitPath(parent.path);
  if (grandparent?.path === resourceModels.TLSEdge.path) {
    const module = parent.last;
    return hasEndpoint(module, options) ? { of: "tls-module", id: grandparent.last, module } : null;
  }
  return locateHttps(path);
}

function hasEndpoint(module: string, options: ModelOptions): module is TlsEdgeModule {
  if (!isTlsEdgeModule(module)) return false;
  return specifiedModuleEndpoints.includes(module) || options.moduleEndpoints.some((each) => each === module);
}

/** Specification, "HTTPS edge module endpoints": edges and routes exist by definition, as nothing lists them. */
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
