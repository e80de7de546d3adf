import { applyEffects } from "./effects.js";
import type { ModelEnv } from "./env.js";
import { listedKinds } from "../kinds/names.js";
import type { ModelRequest, ModelResponse } from "./request.js";
import { respond } from "./respond.js";
import { emptyWorld } from "./world.js";
import type { World } from "./world.js";

/**
 * One step as a function of values: the world it is given stays as it is.
 * Copies the world, so it costs O(resources); long runs use `respond` and `applyEffects` on one world.
 */
export function transition(world: World, request: ModelRequest, env: ModelEnv): readonly [World, ModelResponse] {
  const { response, effects } = respond(world, request, env);
  if (effects.length === 0) return [world, response];
  const next = copyWorld(world);
  applyEffects(next, effects);
  return [next, response];
}

/** A world with the same resources that changes on its own. Pages can't begin after resources that are gone. */
export function copyWorld(world: World): World {
  const copy = emptyWorld(world.options);
  for (const kind of listedKinds) {
    const oldestFirst = [...world.collections[kind]].toReversed();
    applyEffects(
      copy,
      oldestFirst.map(([id, after]) => ({ of: "resource", kind, id, before: null, after })),
    );
  }
  for (const [path, module] of world.modules) copy.modules.set(path, module);
  return copy;
}
