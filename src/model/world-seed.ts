import { resourceModels } from "../generated/resource-models.js";
import type { JsonObject } from "../core/json.js";
import { forListedKinds, listedKinds } from "../kinds/names.js";
import type { Live } from "../live/live.js";
import { applyEffects } from "./effects.js";
import { locateEndpoint } from "./locate-endpoint.js";
import type { ModelOptions } from "./model-options.js";
import { shownResource } from "./resource-model.js";
import { type World, emptyWorld } from "./world.js";

export interface WorldSeed {
  /** Wire objects as lists return them, newest first; members that the model doesn't know are kept. */
  readonly lists?: Partial<Live["lists"]>;
  /** Modules of HTTPS edges and routes by path (`/edges/https/{id}/tls_termination`); null = not set. */
  readonly modules?: { readonly [path: string]: JsonObject | null };
}

/**
 * A world that holds what some service returned. Nothing is checked but ids: dangling references, shared hostports
 * and values that the model would refuse are taken as they are.
 * @throws TypeError when a resource has no id or two of one kind share one, or a path leads to no module: callers
 *   check that first
 */
export function worldFrom(seed: WorldSeed, options: Partial<ModelOptions> = {}): World {
  const world = emptyWorld(options);
  for (const kind of listedKinds) {
    const seen = new Set<string>();
    for (const after of (seed.lists?.[kind] ?? []).toReversed()) {
      const id = after["id"];
      if (typeof id !== "string" || seen.has(id)) throw new TypeError(`a ${kind} to begin with has no id of its own`);
      seen.add(id);
      applyEffects(world, [{ of: "resource", kind, id, before: null, after }]);
    }
  }
  for (const [path, after] of Object.entries(seed.modules ?? {})) {
    const endpoint = locateEndpoint(path, world.options);
    if (endpoint?.of !== "unlisted-module") throw new TypeError(`${path} is not a module of an HTTPS edge or route`);
    applyEffects(world, [{ of: "module", path: endpoint.path, before: null, after }]);
  }
  return world;
}

/** Every resource as lists return it, newest first: what reading all pages of all collections would give. */
export function listAll(world: World): Live["lists"] {
  return forListedKinds((kind) => {
    const how = { options: world.options, inList: true };
    return Array.from(world.collections[kind], ([, resource]) => shownResource(resource, resourceModels[kind], how));
  });
}
