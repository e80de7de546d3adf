import type { JsonObject } from "../core/json.js";
import { type ListedKind, forListedKinds } from "../kinds/names.js";
import { type ModelOptions, defaultModelOptions } from "./model-options.js";

/**
 * What resources are looked up by:
 * - `claim`: an exclusive thing that it holds (`hostport:a.example:443`)
 * - `reference`: the id of a resource that it refers to, which must exist
 * - `offer`: a claim that others may hold only as long as it exists (the hostport of a reserved address)
 */
type IndexName = "claim" | "reference" | "offer";

export type IndexKey = readonly [index: IndexName, key: string];

/** The state of the service. Only `applyEffects` changes it. Resources are the objects that GET returns. */
export type World = Readonly<{
  options: ModelOptions;
  collections: { readonly [K in ListedKind]: ResourceCollection };
  /** Modules of HTTPS edges and routes by their path. */
  modules: Map<string, JsonObject>;
  indexes: { readonly [N in IndexName]: Multimap };
}>;

export function emptyWorld(options: Partial<ModelOptions> = {}): World {
  return {
    options: { ...defaultModelOptions, ...options },
    collections: forListedKinds(() => new ResourceCollection()),
    modules: new Map(),
    indexes: { claim: new Multimap(), reference: new Multimap(), offer: new Multimap() },
  };
}

/** The resources of one kind, by id and newest first. Each has a number that rises, so that pages stay right. */
class ResourceCollection {
  readonly #entries = new Map<string, { readonly number: number; resource: JsonObject }>();
  /** A page may begin after one that is gone. */
  readonly #gone = new Map<string, number>();
  #next = 0;

  get(id: string): JsonObject | null {
    return this.#entries.get(id)?.resource ?? null;
  }

  /** Adds as the newest, or replaces in its place. */
  put(id: string, resource: JsonObject): void {
    const known = this.#entries.get(id);
    if (known === undefined) this.#entries.set(id, { number: this.#next++, resource });
    else known.resource = resource;
  }

  remove(id: string): void {
    const entry = this.#entries.get(id);
    if (entry === undefined) return;
    this.#gone.set(id, entry.number);
    this.#entries.delete(id);
  }

  /** Newest first. */
  *[Symbol.iterator](): Generator<readonly [id: string, resource: JsonObject]> {
    for (const [id, { resource }] of [...this.#entries].reverse()) yield [id, resource];
  }

  /**
   * @param before only those older than the resource of this id; null = from the newest
   * @returns null when `before` was never in this collection
   */
  page(
    limit: number,
    before: string | null,
  ): Readonly<{ resources: readonly JsonObject[]; next: string | null }> | null {
    const end = before === null ? this.#next : (this.#entries.get(before)?.number ?? this.#gone.get(before));
    if (end === undefined) return null;
    const older = [...this.#entries].filter(([, { number }]) => number < end);
    const shown = older.slice(-limit).reverse();
    return {
      resources: shown.map(([, { resource }]) => resource),
      next: older.length > limit ? (shown.at(-1)?.[0] ?? null) : null,
    };
  }
}

const noIds: ReadonlySet<string> = new Set();

/** Keys to sets of ids: who holds a claim, who refers to a resource. */
class Multimap {
  readonly #ids = new Map<string, Set<string>>();

  get(key: string): ReadonlySet<string> {
    return this.#ids.get(key) ?? noIds;
  }

  add(key: string, id: string): void {
    const ids = this.#ids.get(key);
    if (ids === undefined) this.#ids.set(key, new Set([id]));
    else ids.add(id);
  }

  delete(key: string, id: string): void {
    const ids = this.#ids.get(key);
    ids?.delete(id);
    if (ids?.size === 0) this.#ids.delete(key);
  }

  entries(): Iterable<readonly [string, ReadonlySet<string>]> {
    return this.#ids;
  }
}
