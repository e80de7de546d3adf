import type { Spec } from "../core/json.js";
import { type KindName, kindNames, listedKinds } from "../kinds/names.js";
import { kinds } from "../kinds/registry.js";
import type { Live } from "../live/live.js";
import { slug } from "../text/slug.js";
import { resourceKey } from "./exported-resources.js";
import { addressInside } from "./tfstate-address.js";
import type { TfResource } from "./read-tfstate.js";

/** A resource of the state that is of a kind that edgewise manages. */
export interface MatchedResource {
  readonly kind: KindName;
  readonly resource: Omit<TfResource, "parts">;
  /** What its manifest says of the resource that it is a part of; empty = it is none. */
  readonly within: Spec;
  /** The resource of the state that has the same kind and id and comes first, when that is another one. */
  readonly sameAs: MatchedResource["resource"] | null;
}

/** Whether what was matched can have a manifest: everything has one at most, named after where it comes first. */
export function hasOwnManifest({ resource: { condition, id }, sameAs }: MatchedResource): boolean {
  return id !== null && condition !== "deposed" && sameAs === null;
}

/** A type that edgewise doesn't manage, with its resources in the order of the state. */
export interface UnmanagedType {
  readonly type: string;
  /** Whether it is a type of a provider of this service, not of something else like DNS. */
  readonly ofService: boolean;
  readonly resources: readonly TfResource[];
}

/** A state, sorted by what edgewise can do with it. */
export interface MatchedState {
  /** In the order of the state. */
  readonly matched: readonly MatchedResource[];
  /** Names of manifests, by `resourceKey`, made of the addresses; null = the address has no letter or digit. */
  readonly names: ReadonlyMap<string, string | null>;
  /** Those of this service first, then by type. */
  readonly unmanaged: readonly UnmanagedType[];
}

/**
 * Finds the kinds of Terraform's resources. A type is the provider's prefix and what the kind's declaration says. A provider
 * is one of this service when it has a resource of such a type whose id is live as that kind, or looks like one. So forks
 * and mirrors need no list of names, and a type that only sounds alike, of another provider, is not taken.
 */
export function matchTfState(resources: readonly TfResource[], lists: Live["lists"]): MatchedState {
  const isLive = liveIds(lists);
  const ofKind = ({ id, type }: TfResource): boolean => {
    const kind = kindOfType(type);
    return kind !== null && id !== null && (looksLikeIdOf(kind, id) || isLive(kind, id));
  };
  const providers = new Set(resources.filter(ofKind).map(({ type }) => providerOf(type)));
  const matched: MatchedResource[] = [];
  const first = new Map<string, MatchedResource["resource"]>();
  const names = new Map<string, string | null>();
  const unmanaged = new Map<string, TfResource[]>();
  const add = (kind: KindName, resource: MatchedResource["resource"], within: Spec): void => {
    const { address, condition, id } = resource;
    const key = resourceKey(kind, id ?? "");
    const same = id === null ? undefined : first.get(key);
    matched.push({ kind, resource, within, sameAs: same ?? null });
    if (id === null || condition === "deposed" || same !== undefined) return;
    first.set(key, resource);
    names.set(key, slug(address.words.join("-")));
  };
  for (const resource of resources) {
    const ofService = providers.has(providerOf(resource.type));
    const kind = ofService ? kindOfType(resource.type) : null;
    if (kind === null) {
      const same = unmanaged.get(resource.type);
      if (same === undefined) unmanaged.set(resource.type, [resource]);
      else same.push(resource);
      continue;
    }
    add(kind, resource, {});
    for (const part of partsOf(kind, resource)) add(...part);
  }
  const types = [...unmanaged].map(([type, same]) => ({
    type,
    ofService: providers.has(providerOf(type)),
    resources: same,
  }));
  return { matched, names, unmanaged: types.sort(compareTypes) };
}

function compareTypes(a: UnmanagedType, b: UnmanagedType): number {
  if (a.ofService !== b.ofService) return a.ofService ? -1 : 1;
  return a.type < b.type ? -1 : 1;
}

/** The prefix of a type: `acme` of `acme_reserved_addr`. */
function providerOf(type: string): string {
  return type.split("_", 1)[0] ?? type;
}

const kindsByType: ReadonlyMap<string, KindName> = new Map(
  kindNames.flatMap((kind) => (kinds[kind].terraformTypes ?? []).map((type) => [type, kind] as const)),
);

function kindOfType(type: string): KindName | null {
  return kindsByType.get(type.slice(providerOf(type).length + 1)) ?? null;
}

function looksLikeIdOf(kind: KindName, id: string): boolean {
  return id.startsWith(kinds[kind].idPrefix ?? "");
}

function liveIds(lists: Live["lists"]): (kind: KindName, id: string) => boolean {
  const keys = new Set(listedKinds.flatMap((kind) => lists[kind].map(({ id }) => resourceKey(kind, String(id)))));
  return (kind, id) => keys.has(resourceKey(kind, id));
}

/** What a resource contains that is of a kind of its own. */
function partsOf(
  kind: KindName,
  { address, condition, id: parent, parts, type }: TfResource,
): readonly [KindName, MatchedResource["resource"], Spec][] {
  return kindNames.flatMap((each) => {
    const { terraformPart } = kinds[each];
    if (terraformPart?.of !== kind || parent === null) return [];
    return parts
      .filter(({ attribute }) => terraformPart.attributes.includes(attribute))
      .map(({ attribute, id, index }): [KindName, MatchedResource["resource"], Spec] => {
        const inside = addressInside(address, attribute, index);
        return [each, { address: inside, condition, id, type }, terraformPart.spec(parent)];
      });
  });
}
