import { resourceModels } from "../generated/resource-models.js";
import type { JsonObject } from "../core/json.js";
import { type ListedKind, listedKinds } from "../kinds/names.js";
import { kindOfId } from "../kinds/id-prefixes.js";
import { kinds } from "../kinds/registry.js";
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
    // What the world holds counts, not what the effect remembers of it.
    const before = world.collections[kind].get(id);
    if (before !== null) for (const [index, key] of keysOf(kind, before)) world.indexes[index].delete(key, id);
    if (after === null) {
      world.collections[kind].remove(id);
      continue;
    }
    world.collections[kind].put(id, after);
    for (const [index, key] of keysOf(kind, after)) world.indexes[index].add(key, id);
  }
}

/** What a resource is found by: what its model says, and the ids that it refers to. */
function keysOf(kind: ListedKind, resource: JsonObject): readonly IndexKey[] {
  const references = kinds[kind].referringFields.flatMap(({ field: { codec }, name }) =>
    codec.refersTo === undefined ? [] : (codec.references?.(codec.fromWire(resource[name])) ?? []),
  );
  return [
    ...(resourceModels[kind].keys?.(resource) ?? []),
    ...references.flatMap(({ kind: to, target }): IndexKey[] =>
      to !== null && "id" in target ? [["reference", target.id]] : [],
    ),
  ];
}

/** Something that must never be so, not even for a moment between two requests. */
export interface InvariantViolation {
  readonly code: "dangling-reference" | "dangling-claim" | "claim-held-twice";
  /** The resource that refers to what is gone, or one of those that hold a claim. */
  readonly id: string;
  /** The id that is referred to, or what is claimed: a hostport. */
  readonly target: string;
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
    const had = before === null ? [] : keysOf(kind, before);
    if (after === null) {
      found.push(...violationsOfRemoval(world, kind, id, had));
      continue;
    }
    const known = new Set(had.map(keyText));
    for (const key of keysOf(kind, after)) if (!known.has(keyText(key))) found.push(...violationsOfKey(world, key, id));
  }
  return found;
}

/** Everything that is wrong in a world, in words; O(resources), for tests and for a look at the start and the end. */
export function problems(world: World): readonly string[] {
  const all = listedKinds.flatMap((kind) =>
    Array.from(world.collections[kind], ([id, after]): Effect => ({ of: "resource", kind, id, before: null, after })),
  );
  return violationsOf(world, all).map(({ message }) => message);
}

function violationsOfRemoval(
  world: World,
  kind: ListedKind,
  id: string,
  had: readonly IndexKey[],
): readonly InvariantViolation[] {
  const found = [...world.indexes.reference.get(id)].map((referrer) => dangling(world, referrer, kind, id));
  for (const [index, claim] of had) {
    // A service may show one hostport for two of them.
    if (index !== "offer" || [...world.indexes.offer.get(claim)].length > 0) continue;
    const { noun, thing } = claimInWords(claim);
    for (const holder of world.indexes.claim.get(claim)) {
      const message = `${inWords(world, holder)} holds the ${noun} ${thing}, but the ${kinds[kind].title} that it belongs to was deleted`;
      found.push({ code: "dangling-claim", id: holder, target: thing, message });
    }
  }
  return found;
}

function violationsOfKey(world: World, [index, key]: IndexKey, id: string): readonly InvariantViolation[] {
  if (index === "reference") {
    const kind = kindOfId(key);
    return kind === null || world.collections[kind].get(key) !== null ? [] : [dangling(world, id, kind, key)];
  }
  if (index !== "claim") return [];
  const others = [...world.indexes.claim.get(key)].filter((each) => each !== id);
  if (others.length === 0) return [];
  const { noun, thing } = claimInWords(key);
  const holders = [id, ...others].map((each) => inWords(world, each));
  const message = `the ${noun} ${thing} is held by ${holders.join(" and ")} at the same time`;
  return [{ code: "claim-held-twice", id, target: thing, message }];
}

function dangling(world: World, referrer: string, kind: ListedKind, id: string): InvariantViolation {
  const message = `${inWords(world, referrer)} refers to the ${kinds[kind].title} ${id}, which does not exist`;
  return { code: "dangling-reference", id: referrer, target: id, message };
}

/** `the TLS edge edgtls_1` */
export function inWords(world: World, id: string): string {
  const kind = listedKinds.find((each) => world.collections[each].get(id) !== null);
  return kind === undefined ? id : `the ${kinds[kind].title} ${id}`;
}

/** `hostport:a.example:443` is the hostport `a.example:443`. */
function claimInWords(claim: string): { readonly noun: string; readonly thing: string } {
  const colon = claim.indexOf(":");
  return { noun: claim.slice(0, colon), thing: claim.slice(colon + 1) };
}

function keyText([index, key]: IndexKey): string {
  return `${index}:${key}`;
}
