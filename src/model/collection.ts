import type { JsonObject } from "../json.js";

interface CollectionEntry {
  readonly id: string;
  /** Rises with age of the collection, never reused: pages stay right when the resource they ended at is gone. */
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
 * Reading, putting and removing one is O(1); a page costs its length (specification, "Endpoints", List).
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
