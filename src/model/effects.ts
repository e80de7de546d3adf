import type { JsonObject } from "../json.js";
import { type ListedKind, listedKinds } from "../kinds/names.js";
import { hostportKey } from "./read-body.js";
import { resourceModels } from "./resources/resource-models.js";
import type { IndexKey, World } from "./world.js";

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

/** Something that must never be so, not even for a moment between two requests. */
export interface InvariantViolation {
  readonly code: "dangling-reference" | "dangling-hostport" | "hostport-served-twice";
  /** The edge that refers to what is gone, or one of those that serve a hostport. */
  readonly id: string;
  /** The backend's id, the hostport. */
  readonly target: string;
  /** In words. */
  readonly message: string;
}

/**
 * What one step broke. Costs O(effects), whatever the size of the world; what was wrong before is not reported.
 * @param world as it is after `applyEffects(world, effects)`
 */
export function violationsOf(world: World, effects: readonly Effect[]): readonly InvariantViolation[] {
  const found: InvariantViolation[] = [];
  for (const effect of effects) {
    if (effect.of === "module") continue;
    const { kind, id, before, after } = effect;
    const model = resourceModels[kind];
    const had = new Set((before === null ? [] : model.keys(before)).map(keyText));
    if (after !== null) {
      for (const key of model.keys(after)) if (!had.has(keyText(key))) found.push(...violationsOfKey(world, key, id));
      continue;
    }
    for (const edge of world.indexes.backend.get(id)) found.push(dangling(edge, id));
    for (const [index, key] of before === null ? [] : model.keys(before)) {
      if (index !== "addr") continue;
      for (const edge of world.indexes.hostport.get(hostportKey(key))) {
        const message = `the TLS edge ${edge} serves ${key}, a reserved address that was just deleted`;
        found.push({ code: "dangling-hostport", id: edge, target: key, message });
      }
    }
  }
  return found;
}

/** Everything that is wrong in a world, in words; O(resources), for tests and for a look at the start and the end. */
export function problems(world: World): readonly string[] {
  const found: string[] = [];
  for (const kind of listedKinds) {
    for (const [id, resource] of world.collections[kind]) {
      for (const key of resourceModels[kind].keys(resource)) {
        found.push(...violationsOfKey(world, key, id).map((violation) => violation.message));
      }
    }
  }
  return found;
}

/** What is wrong with one key that a resource holds. */
function violationsOfKey(world: World, [index, key]: IndexKey, id: string): readonly InvariantViolation[] {
  if (index === "backend" && key.startsWith(resourceModels.HTTPResponseBackend.prefix)) {
    return world.collections.HTTPResponseBackend.get(key) === null ? [dangling(id, key)] : [];
  }
  if (index !== "hostport") return [];
  const others = [...world.indexes.hostport.get(key)].filter((each) => each !== id);
  if (others.length === 0) return [];
  const message = `the hostport ${key} is served by the TLS edges ${[id, ...others].join(", ")}`;
  return [{ code: "hostport-served-twice", id, target: key, message }];
}

function dangling(edge: string, backend: string): InvariantViolation {
  const message = `the TLS edge ${edge} refers to the backend ${backend}, which does not exist`;
  return { code: "dangling-reference", id: edge, target: backend, message };
}

function keyText([index, key]: IndexKey): string {
  return `${index}:${key}`;
}
