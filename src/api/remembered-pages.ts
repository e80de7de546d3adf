export type ListName = Readonly<{
  baseUrl: string;
  collection: string;
}>;

type RememberedList = ListName & { readonly pages: readonly string[] };

/** From the second page on. They are not trusted. */
export class PageStore {
  readonly #lists = new Map<string, RememberedList>();
  readonly #recalled = new Set<string>();

  /** Once for each list: later ones, which check what was written, follow the chain. */
  recall(list: ListName): readonly string[] {
    const key = list.baseUrl + list.collection;
    const pages = this.#recalled.has(key) ? undefined : this.#lists.get(key)?.pages;
    this.#recalled.add(key);
    return pages ?? [];
  }

  remember({ baseUrl, collection }: ListName, pages: readonly string[]): void {
    this.#lists.delete(baseUrl + collection);
    if (pages.length > 0) this.#lists.set(baseUrl + collection, { baseUrl, collection, pages });
  }

  [Symbol.iterator](): Iterator<RememberedList> {
    return this.#lists.values();
  }
}
