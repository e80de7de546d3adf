import { resourceModels } from "../generated/resource-models.js";
import type { JsonObject } from "../core/json.js";
import { kindOfId, kinds } from "../kinds/registry.js";
import { claimText } from "../kinds/kind.js";
import { type ListedKind, listedKinds } from "../kinds/names.js";
import type { IndexKey, World } from "./world.js";

/** `before` null = made, `after` null = removed. */
export type Effect = Readonly<{ before: JsonObject | null; after: JsonObject | null }> &
  (Readonly<{ of: "resource"; kind: ListedKind; id: string }> | Readonly<{ of: "module"; path: string }>);

export function applyEffects(world: World, effects: readonly Effect[]): void {
  for (const effect of effects) {
    const { after } = effect;
    if (effect.of === "module") {
      if (after === null) world.modules.delete(effect.path);
      else world.modules.set(effect.path, after);
      continue;
    }
    const { kind, id } = effect;
    const { [kind]: collection } = world.collections;
    // What the world holds counts, not what the effect remembers.
    for (const [index, key] of keysOf(kind, collection.get(id))) world.indexes[index].delete(key, id);
    for (const [index, key] of keysOf(kind, after)) world.indexes[index].add(key, id);
    if (after === null) collection.remove(id);
    else collection.put(id, after);
  }
}

function keysOf(kind: ListedKind, resource: JsonObject | null): readonly IndexKey[] {
  if (resource === null) return [];
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

type InvariantViolation = Readonly<{
  target: string;
  message: string;
}>;

/** What one step broke. */
export function violationsOf(world: World, effects: readonly Effect[]): readonly InvariantViolation[] {
  return effects.flatMap((effect) => {
    if (effect.of === "module") return [];
    const { kind, id, before, after } = effect;
    const had = keysOf(kind, before);
    if (after === null) return violationsOfRemoval(world, kind, id, had);
    const known = new Set(had.map(String));
    return keysOf(kind, after).flatMap((key) => (known.has(String(key)) ? [] : violationsOfKey(world, key, id)));
  });
}

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
  // A service may show one hostport for two of them.
  const offers = had.filter(([index, claim]) => index === "offer" && world.indexes.offer.get(claim).size === 0);
  return [
    ...Array.from(world.indexes.reference.get(id), (referrer) => dangling(world, referrer, kind, id)),
    ...offers.flatMap(([, claim]) =>
      Array.from(world.indexes.claim.get(claim), (holder) => ({
        target: claimText(claim),
        message: `${inWords(world, holder)} holds the ${claimWords(claim)}, but the ${kinds[kind].title} that it belongs to was deleted`,
      })),
    ),
  ];
}

function violationsOfKey(world: World, [index, key]: IndexKey, id: string): readonly InvariantViolation[] {
  if (index === "reference") {
    const kind = kindOfId(key);
    return kind === null || world.collections[kind].get(key) !== null ? [] : [dangling(world, id, kind, key)];
  }
  const holders = index === "claim" ? [...world.indexes.claim.get(key)] : [];
  if (holders.every((holder) => holder === id)) return [];
  const names = holders.map((holder) => inWords(world, holder)).join(" and ");
  return [{ target: claimText(key), message: `the ${claimWords(key)} is held by ${names} at the same time` }];
}

function dangling(world: World, referrer: string, kind: ListedKind, id: string): InvariantViolation {
  const message = `${inWords(world, referrer)} refers to the ${kinds[kind].title} ${id}, which does not exist`;
  return { target: id, message };
}

export function inWords(world: World, id: string): string {
  const kind = listedKinds.find((each) => world.collections[each].get(id) !== null);
  return kind === undefined ? id : `the ${kinds[kind].title} ${id}`;
}

function claimWords(claim: string): string {
  return claim.replace(":", " ");
}
