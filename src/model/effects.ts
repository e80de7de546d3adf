import type { JsonObject } from "../json.js";
import type { ListedKind } from "../kinds/names.js";
import { resourceModels } from "./resources/registry.js";
import type { World } from "./world.js";

/** What one request does to one thing: `before` null = made, `after` null = removed. */
export type Effect =
  | {
      readonly of: "resource";
      readonly kind: ListedKind;
      readonly id: string;
      readonly before: JsonObject | null;
      readonly after: JsonObject | null;
    }
  | {
      readonly of: "module";
      readonly path: string;
      readonly before: JsonObject | null;
      readonly after: JsonObject | null;
    };

/** Changes the world, indexes included; costs what the effects hold, whatever the size of the world. */
export function applyEffects(world: World, effects: readonly Effect[]): void {
  for (const effect of effects) {
    if (effect.of === "module") {
      if (effect.after === null) world.modules.delete(effect.path);
      else world.modules.set(effect.path, effect.after);
      continue;
    }
    const { kind, id, after } = effect;
    const model = resourceModels[kind];
    // What the world holds counts, not what the effect remembers of it.
    const before = world.collections[kind].get(id);
    if (before !== null) for (const [index, key] of model.keys(before)) world.indexes[index].delete(key, id);
    if (after === null) {
      world.collections[kind].remove(id);
      continue;
    }
    world.collections[kind].put(id, after);
    for (const [index, key] of model.keys(after)) world.indexes[index].add(key, id);
  }
}
