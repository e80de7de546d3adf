import type { Value } from "../../json.js";
import { Secret } from "../../secret.js";
import { isNamedSecret, isPairedSecret, isValueObject } from "./secret-places.js";

/**
 * Where a document names sources, the items of a list taken together. What is live at such a place is a secret whatever
 * its name.
 */
export interface Sources {
  readonly here: boolean;
  readonly items: Sources | undefined;
  readonly members: ReadonlyMap<string, Sources>;
}

/** The places of all sources in a document; undefined when it has none. */
export function sourcesOf(value: Value | undefined): Sources | undefined {
  if (value instanceof Secret) return { here: true, items: undefined, members: new Map() };
  if (Array.isArray(value)) {
    const items = (value as readonly Value[]).reduce<Sources | undefined>(
      (found, item) => merged(found, sourcesOf(item)),
      undefined,
    );
    return items === undefined ? undefined : { here: false, items, members: new Map() };
  }
  if (!isValueObject(value)) return undefined;
  const members = new Map<string, Sources>();
  for (const member of Object.keys(value)) {
    const found = sourcesOf(value[member]);
    if (found !== undefined) members.set(member, found);
  }
  return members.size === 0 ? undefined : { here: false, items: undefined, members };
}

/** Whether a source stands where no name tells that it is a secret. */
export function hasUnnamedSources(value: Value | undefined, named = false): boolean {
  if (value instanceof Secret) return !named;
  if (Array.isArray(value)) {
    const list: readonly Value[] = value;
    return list.some((item, at) => hasUnnamedSources(item, named || isPairedSecret(list, at)));
  }
  if (!isValueObject(value)) return false;
  return Object.keys(value).some((member) => hasUnnamedSources(value[member], named || isNamedSecret(value, member)));
}

function merged(a: Sources | undefined, b: Sources | undefined): Sources | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  const members = new Map(a.members);
  for (const [member, found] of b.members) members.set(member, merged(members.get(member), found) ?? found);
  return { here: a.here || b.here, items: merged(a.items, b.items), members };
}
