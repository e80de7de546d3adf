import type { JsonObject } from "../json.js";
import type { ListedKind } from "../kinds/names.js";
import { ResourceCollection } from "./collection.js";
import { Multimap } from "./multimap.js";
import { defaultModelOptions } from "./options.js";
import type { ModelOptions } from "./options.js";

/** What is looked up across resources: edges by hostport and by backend, addresses by addr, restrictions by type. */
export type IndexName = "hostport" | "backend" | "addr" | "type";

/** One key under which a resource can be found. */
export type IndexKey = readonly [index: IndexName, key: string];

/**
 * The state of the service. Only `applyEffects` changes it; `respond` reads.
 * Resources are the objects that GET returns (specification, "Resources and their fields").
 */
export interface World {
  readonly options: ModelOptions;
  readonly collections: { readonly [K in ListedKind]: ResourceCollection };
  /** Modules of HTTPS edges and routes by their path; an absent path is a module that is not set. */
  readonly modules: Map<string, JsonObject>;
  readonly indexes: { readonly [N in IndexName]: Multimap };
}

/** A world without resources. */
export function emptyWorld(options: Partial<ModelOptions> = {}): World {
  return {
    options: { ...defaultModelOptions, ...options },
    collections: {
      IPRestriction: new ResourceCollection(),
      TLSEdge: new ResourceCollection(),
      ReservedAddress: new ResourceCollection(),
      HTTPResponseBackend: new ResourceCollection(),
      TLSCertificate: new ResourceCollection(),
    },
    modules: new Map(),
    indexes: { hostport: new Multimap(), backend: new Multimap(), addr: new Multimap(), type: new Multimap() },
  };
}
