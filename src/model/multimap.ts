const noIds: ReadonlySet<string> = new Set();

/** Keys to sets of ids: who serves a hostport, who refers to a backend. */
export class Multimap {
  readonly #sets = new Map<string, Set<string>>();

  /** The ids under a key; empty when there are none. */
  get(key: string): ReadonlySet<string> {
    return this.#sets.get(key) ?? noIds;
  }

  add(key: string, id: string): void {
    const set = this.#sets.get(key);
    if (set === undefined) this.#sets.set(key, new Set([id]));
    else set.add(id);
  }

  delete(key: string, id: string): void {
    const set = this.#sets.get(key);
    if (set === undefined) return;
    set.delete(id);
    if (set.size === 0) this.#sets.delete(key);
  }

  /** Every key that has an id, with its ids. */
  entries(): Iterable<readonly [string, ReadonlySet<string>]> {
    return this.#sets.entries();
  }
}
