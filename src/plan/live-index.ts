import type { Spec } from "../core/json.js";
import { hostportKey } from "../kinds/codecs/reference-codecs.js";
import { isOn } from "../kinds/impact.js";
import type { Deletion, Kind, Reference, Replaced } from "../kinds/kind.js";
import { type Address, addressOf } from "../kinds/names.js";
import { readWire } from "../kinds/normal-form.js";
import { kinds } from "../kinds/registry.js";
import type { Live } from "../live/live.js";
import { AccountIndex, type LiveResource, instanceKey, push } from "./account-index.js";
import type { PlanOptions } from "./options.js";

export { type LiveResource, compareText, domainOfHost, instanceKey, push, shapeOfHost } from "./account-index.js";

/** What can be looked up under a key. */
type Lookup<T> = Pick<ReadonlyMap<string, T>, "get" | "has">;

/**
 * The live side of a plan, indexed: the account as one stack sees it. An index of the account may serve the plans of all its
 * stacks; then only what the stack owns is made anew.
 */
export class LiveIndex {
  /** By kind, then by id; modules of HTTPS edges and routes last. */
  readonly all: readonly LiveResource[];
  /** Those of `all` that the stack owns, in the same order. */
  readonly mine: readonly LiveResource[];
  /** Owned ones by the address in their marker. */
  readonly owned: ReadonlyMap<Address, readonly LiveResource[]>;
  readonly #account: AccountIndex;
  /** Resources of the account as this stack sees them, where that is different. */
  readonly #own: ReadonlyMap<LiveResource, LiveResource>;
  readonly #modules: ReadonlyMap<string, LiveResource>;

  /**
   * @param stacks whose resources are the stack's own
   * @param modules the HTTPS edges and routes, which no list has
   */
  constructor(account: AccountIndex, stacks: ReadonlySet<string>, modules: readonly LiveResource[]) {
    const all = [...account.all];
    const mine: LiveResource[] = [];
    const owned = new Map<Address, LiveResource[]>();
    const copies = new Map<LiveResource, LiveResource>();
    const places = [...stacks].flatMap((stack) => account.ofStack.get(stack) ?? []).sort((a, b) => a - b);
    for (const place of places) {
      const resource = all[place];
      if (resource === undefined || resource.marker === null) continue;
      const own = { ...resource, owned: true };
      all[place] = own;
      copies.set(resource, own);
      mine.push(own);
      push(owned, addressOf(own.kind.kind, resource.marker.name), own);
    }
    this.all = [...all, ...modules];
    this.mine = mine;
    this.owned = owned;
    this.#account = account;
    this.#own = copies;
    this.#modules = new Map(modules.map((resource) => [resource.key, resource]));
  }

  /** By {@link instanceKey}. */
  get byInstance(): Lookup<LiveResource> {
    return {
      get: (key) => this.#modules.get(key) ?? this.#seen(this.#account.byKey.get(key)),
      has: (key) => this.#modules.has(key) || this.#account.byKey.has(key),
    };
  }

  /** Resources by the key of their addr. */
  get byAddr(): Lookup<LiveResource> {
    const { byAddr } = this.#account;
    return {
      get: (addr) => this.byInstance.get(byAddr.get(addr)?.key ?? ""),
      has: (addr) => byAddr.has(addr),
    };
  }

  get addrShapes(): ReadonlySet<string> {
    return this.#account.addrShapes;
  }

  get addrDomains(): ReadonlySet<string> {
    return this.#account.addrDomains;
  }

  /** Those whose marker can't be read. */
  get malformed(): readonly LiveResource[] {
    return this.#account.malformed;
  }

  /** The live resources that hold a claim, by claim. */
  get holders(): Pick<Lookup<readonly LiveResource[]>, "get"> {
    const { holders } = this.#account;
    return { get: (claim) => holders.get(claim)?.map((holder) => this.#own.get(holder) ?? holder) };
  }

  /** What a resource was made to replace, while that is live. */
  replacedBy({ kind, marker }: LiveResource): LiveResource | undefined {
    return marker?.replaces === undefined ? undefined : this.byInstance.get(instanceKey(kind.kind, marker.replaces));
  }

  #seen(resource: LiveResource | undefined): LiveResource | undefined {
    return resource === undefined ? undefined : (this.#own.get(resource) ?? resource);
  }
}

/** Indexes the live side for one stack. */
export function indexLive(
  { lists, modules }: Pick<Live, "lists" | "modules">,
  { account, previousStacks, stack }: Pick<PlanOptions, "account" | "stack" | "previousStacks">,
): LiveIndex {
  const found = modules.map(({ kind: name, id, modules: wire }): LiveResource => {
    const kind = kinds[name];
    const { spec } = readWire(kind, wire);
    const key = instanceKey(name, id);
    return { kind, id, key, wire: {}, spec, marker: null, malformed: false, owned: false, createdAt: 0 };
  });
  const index = account?.lists === lists ? account : new AccountIndex(lists);
  return new LiveIndex(index, new Set([stack, ...previousStacks]), found);
}

/** The address of a live resource: by the name in its marker when the stack owns it, else by its id. */
export function addressOfLive({ kind, id, marker, owned }: LiveResource): Address {
  return addressOf(kind.kind, owned && marker !== null ? marker.name : id);
}

/** What becomes of a live resource without a manifest, by its marker. */
export function deletionOf({ kind, marker }: LiveResource): Deletion {
  return marker?.deletion ?? kind.defaults.deletion;
}

/** What becomes of what a live resource was made to replace, by its marker. */
export function replacedOf({ kind, marker }: LiveResource): Replaced {
  return marker?.replaced ?? kind.defaults.replaced;
}

/** The live resources that a spec refers to, as instance keys. What is not live or not listed is left out. */
export function referencesOf(kind: Kind, spec: Spec, index: LiveIndex): readonly string[] {
  const found: string[] = [];
  eachReference(kind, spec, (reference) => {
    const key = keyOf(reference, index);
    if (key !== null) found.push(key);
  });
  return found;
}

/** A resource that refers to another, and the field in which it does. */
export interface Referrer<T> {
  readonly resource: T;
  readonly field: string;
}

/** By instance key, which of some resources refer to what is live. */
export function referrersAmong<T extends Pick<LiveResource, "kind" | "spec">>(
  resources: readonly T[],
  index: LiveIndex,
): ReadonlyMap<string, readonly Referrer<T>[]> {
  const referrers = new Map<string, Referrer<T>[]>();
  for (const resource of resources) {
    eachReference(resource.kind, resource.spec, (reference, field) => {
      const key = keyOf(reference, index);
      if (key !== null) push(referrers, key, { resource, field });
    });
  }
  return referrers;
}

/** A spec without the modules that are off, which refer to nothing. */
export function withoutDisabled(kind: Kind, spec: Spec): Spec {
  const on = kind.fieldList.filter(({ field, name }) => field.module === undefined || isOn(spec[name] ?? null));
  return Object.fromEntries(on.map(({ name }) => [name, spec[name] ?? null]));
}

/** Visits every reference in a spec. */
export function eachReference(kind: Kind, spec: Spec, visit: (reference: Reference, field: string) => void): void {
  for (const { field, name } of kind.referringFields) {
    const value = spec[name];
    if (value === undefined || value === null) continue;
    for (const reference of field.codec.references?.(value) ?? []) visit(reference, name);
  }
}

/** The instance key of a reference to something live; null for names, and for what the API doesn't list. */
export function keyOf(reference: Reference, index: LiveIndex): string | null {
  if ("name" in reference.target) return null;
  if ("addr" in reference.target) {
    const holder = index.byAddr.get(hostportKey(reference.target.addr));
    return holder === undefined ? null : holder.key;
  }
  if (reference.kind === null) return null;
  const key = instanceKey(reference.kind, reference.target.id);
  return index.byInstance.has(key) ? key : null;
}
