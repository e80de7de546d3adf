import { type KindName, kindNames } from "../kinds/names.js";
import { kinds } from "../kinds/registry.js";
import { slug } from "../text/slug.js";
import { resourceKey } from "./exported-resources.js";
import type { TfResource } from "./read-tfstate.js";

/** A resource of the state that is of a kind that edgewise manages. */
export interface MatchedResource {
  readonly kind: KindName;
  readonly resource: TfResource;
  /** The resource of the state that has the same kind and id and comes first, when that is another one. */
  readonly sameAs: TfResource | null;
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
 * Finds the kinds of Terraform's resources. A type is the provider's prefix and what the kind's declaration says; a
 * provider is one of this service when it has a resource of such a type whose id is one of that kind. So forks and mirrors
 * need no list of names, and a type that only sounds alike, of another provider, is not taken.
 */
export function matchTfState(resources: readonly TfResource[]): MatchedState {
  const providers = new Set(resources.filter(hasIdOfKind).map(({ type }) => providerOf(type)));
  const matched: MatchedResource[] = [];
  const first = new Map<string, TfResource>();
  const names = new Map<string, string | null>();
  const unmanaged = new Map<string, TfResource[]>();
  for (const resource of resources) {
    const ofService = providers.has(providerOf(resource.type));
    const kind = ofService ? kindOfType(resource.type) : null;
    if (kind === null) {
      const same = unmanaged.get(resource.type);
      if (same === undefined) unmanaged.set(resource.type, [resource]);
      else same.push(resource);
      continue;
    }
    const { address, condition, id } = resource;
    const key = resourceKey(kind, id ?? "");
    matched.push({ kind, resource, sameAs: first.get(key) ?? null });
    if (id === null || condition === "deposed" || first.has(key)) continue;
    first.set(key, resource);
    names.set(key, slug(address.words.join("-")));
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

function hasIdOfKind({ id, type }: TfResource): boolean {
  const kind = kindOfType(type);
  return kind !== null && id !== null && id.startsWith(kinds[kind].idPrefix ?? "");
}
