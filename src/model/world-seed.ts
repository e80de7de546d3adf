import type { JsonObject } from "../core/json.js";
import { resourceModels } from "../generated/resource-models.js";
import { forListedKinds, listedKinds } from "../kinds/names.js";
import type { Live } from "../live/live.js";
import { applyEffects } from "./effects.js";
import type { ModelOptions } from "./model-options.js";
import { shownResource } from "./resource-model.js";
import { type World, emptyWorld } from "./world.js";

export type WorldSeed = Readonly<{
  /** Newest first. Only the ids must be right. */
  lists?: Partial<Live["lists"]>;
  /** By path: `/edges/https/{id}/tls_termination`; null = not set. */
  modules?: { readonly [path: string]: JsonObject | null };
}>;

export function worldFrom({ lists = {}, modules = {} }: WorldSeed, options: Partial<ModelOptions> = {}): World {
  const world = emptyWorld(options);
  for (const kind of listedKinds) {
    const oldestFirst = (lists[kind] ?? []).toReversed();
    applyEffects(
      world,
      oldestFirst.map((after) => ({ of: "resource", kind, id: String(after["id"]), before: null, after })),
    );
  }
  for (const [path, module] of Object.entries(modules)) if (module !== null) world.modules.set(path, module);
  return world;
}

export function listAll(world: World): Live["lists"] {
  return forListedKinds((kind) =>
    Array.from(world.collections[kind], ([, resource]) =>
      shownResource(resource, resourceModels[kind], world.options, true),
    ),
  );
}
