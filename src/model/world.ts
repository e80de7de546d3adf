import type { JsonObject } from "../core/json.js";
import { type ListedKind, forListedKinds } from "../kinds/names.js";
import { type ModelOptions, defaultModelOptions } from "./model-options.js";

/**
 * What resources are looked up by:
 * - `claim`: an exclusive thing that it holds (`hostport:a.example:443`); no two resources may hold the same
 * - `reference`: the id of a resource that it refers to, which must exist
 * - `offer`: a claim that others may hold only as long as it exists (the hostport of a reserved address)
 * - `other`: whatever its own model asks for (`type:api`)
 */
type IndexName = "claim" | "reference" | "offer" | "other";

/** One key under which a resource can be found. */
export type IndexKey = readonly [index: IndexName, key: string];

/**
 * The state of the service. Only `applyEffects` changes it; `respond` reads.
 * Resources are the objects that GET returns.
 */
export interface World {
  readonly options: ModelOptions;
  readonly collections: { readonly [K in ListedKind]: ResourceCollection };
  /** Modules of HTTPS edges and routes by their path; an absent path is a module that is not set. */
  readonly modules: Map<string, JsonObject>;
  readonly indexes: { readonly [N in IndexName]: Multimap };
}

/** A world without resources. */
export function emptyWorld(options: Partial<ModelOptions> = {}): World {
  return {
    options: { ...defaultModelOptions, ...options },
    collections: forListedKinds(() => new ResourceCollection()),
    modules: new Map(),
    indexes: { claim: new Multimap(), reference: new Multimap(), offer: new Multimap(), other: new Multimap() },
  };
}

interface CollectionEntry {
  readonly id: string;
  /** Rises with every resource added, never reused: pages stay right when the resource they ended at is gone. */
  readonly sequence: number;
  resource: JsonObject | null;
}

/** One page of a list. */
export interface Page {
  readonly resources: readonly JsonObject[];
  /** The id to begin the next page before; null when this page is the last. */
  readonly next: string | null;
}

/**
 * The resources of one kind, by id and newest first.
 * Reading, putting and removing one is O(1); a page costs its length.
 */
export class ResourceCollection {
  readonly #entries = new Map<string, CollectionEntry>();
  #order: CollectionEntry[] = [];
  #next = 0;
  #live = 0;

  get size(): number {
    return this.#live;
  }

  get(id: string): JsonObject | null {
    return this.#entries.get(id)?.resource ?? null;
  }

  /** Adds as the newest, or replaces in its place. */
  put(id: string, resource: JsonObject): void {
    const known = this.#entries.get(id);
    if (known !== undefined && known.resource !== null) {
      known.resource = resource;
      return;
    }
    const entry: CollectionEntry = { id, sequence: this.#next++, resource };
    this.#entries.set(id, entry);
    this.#order.push(entry);
    this.#live += 1;
  }

  remove(id: string): void {
    const entry = this.#entries.get(id);
    if (entry === undefined || entry.resource === null) return;
    entry.resource = null;
    this.#live -= 1;
    // Removed entries stay in #entries, as a page may begin after one; the order is swept when half of it is gone.
    if (this.#order.length > 64 && this.#order.length > 2 * this.#live) {
      this.#order = this.#order.filter((each) => each.resource !== null);
    }
  }

  /** Newest first, each with its id. */
  *[Symbol.iterator](): Generator<readonly [id: string, resource: JsonObject]> {
    for (let at = this.#order.length - 1; at >= 0; at--) {
      const entry = this.#order[at];
      if (entry !== undefined && entry.resource !== null) yield [entry.id, entry.resource];
    }
  }

  /**
   * At most `limit` resources, newest first.
   * @param before only those older than the resource of this id, which may be gone; null = from the newest
   * @returns null when `before` was never in this collection
   */
  page(limit: number, before: string | null): Page | null {
    let at = this.#order.length - 1;
    if (before !== null) {
      const entry = this.#entries.get(before);
      if (entry === undefined) return null;
      at = this.#lastBefore(entry.sequence);
    }
    const resources: JsonObject[] = [];
    let last: string | null = null;
    for (; at >= 0; at--) {
      const entry = this.#order[at];
      if (entry === undefined || entry.resource === null) continue;
      if (resources.length === limit) return { resources, next: last };
      resources.push(entry.resource);
      last = entry.id;
    }
    return { resources, next: null };
  }

  /** Index of the youngest entry that is older than `sequence`; -1 when there is none. */
  #lastBefore(sequence: number): number {
    let low = 0;
    let high = this.#order.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const entry = this.#order[middle];
      if (entry !== undefined && entry.sequence < sequence) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }
}

const noIds: ReadonlySet<string> = new Set();

function asSet(ids: string | ReadonlySet<string> | undefined): ReadonlySet<string> {
  return ids === undefined ? noIds : typeof ids === "string" ? new Set([ids]) : ids;
}

/** Keys to sets of ids: who holds a claim, who refers to a resource. */
class Multimap {
  /** Most keys have one id, and a set takes ten times as much memory. */
  readonly #ids = new Map<string, string | Set<string>>();

  /** The ids under a key; empty when there are none. */
  get(key: string): ReadonlySet<string> {
    return asSet(this.#ids.get(key));
  }

  add(key: string, id: string): void {
    const ids = this.#ids.get(key);
    if (ids === undefined) this.#ids.set(key, id);
    else if (typeof ids !== "string") ids.add(id);
    else if (ids !== id) this.#ids.set(key, new Set([ids, id]));
  }

  delete(key: string, id: string): void {
    const ids = this.#ids.get(key);
    if (ids === undefined) return;
    if (typeof ids !== "string") ids.delete(id);
    if (typeof ids === "string" ? ids === id : ids.size === 0) this.#ids.delete(key);
  }

  /** Every key that has an id, with its ids. */
  *entries(): Generator<readonly [string, ReadonlySet<string>]> {
    for (const [key, ids] of this.#ids) yield [key, asSet(ids)];
  }
}
