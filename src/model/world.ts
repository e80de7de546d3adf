import type { JsonObject } from "../core/json.js";
import { type ListedKind, forListedKinds } from "../kinds/names.js";
import { type ModelOptions, defaultModelOptions } from "./model-options.js";

/** `claim`: it holds it alone; `reference`: it refers to it; `offer`: others may hold it as long as this one exists. */
type IndexName = "claim" | "reference" | "offer";

export type IndexKey = readonly [index: IndexName, key: string];

/** Only `applyEffects` changes it. Resources are what GET returns. */
export type World = Readonly<{
  options: ModelOptions;
  collections: { readonly [K in ListedKind]: ResourceCollection };
  modules: Map<string, JsonObject>;
  indexes: { readonly [N in IndexName]: Multimap };
}>;

/** Newest first. Numbers rise, so that pages stay right. */
class ResourceCollection {
  readonly #entries = new Map<string, { readonly number: number; resource: JsonObject }>();
  /** A page may begin after one that is gone. */
  readonly #gone = new Map<string, number>();
  #next = 0;

  get(id: string): JsonObject | null {
    return this.#entries.get(id)?.resource ?? null;
  }

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

  *[Symbol.iterator](): Generator<readonly [id: string, resource: JsonObject]> {
    for (const [id, { resource }] of [...this.#entries].reverse()) yield [id, resource];
  }

  /** Those older than `before`, or from the newest; null = `before` was never there. */
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

export function emptyWorld(options: Partial<ModelOptions>): World {
  return {
    options: { ...defaultModelOptions, ...options },
    collections: forListedKinds(() => new ResourceCollection()),
    modules: new Map(),
    indexes: { claim: new Multimap(), reference: new Multimap(), offer: new Multimap() },
  };
}
