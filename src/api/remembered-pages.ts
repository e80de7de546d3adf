export type ListName = Readonly<{
  baseUrl: string;
  collection: string;
}>;

type RememberedList = ListName & { readonly pages: readonly string[] };

export type PageMemory = Pick<PageStore, "recall" | "remember">;

/** From the second page on. They are not trusted. */
export class PageStore {
  readonly #lists = new Map<string, RememberedList>();
  readonly #recalled = new Set<string>();

  /** Once for each list: later ones, which check what was written, follow the chain. */
  recall(list: ListName): readonly string[] {
    const key = keyOf(list);
    const pages = this.#recalled.has(key) ? undefined : this.#lists.get(key)?.pages;
    this.#recalled.add(key);
    return pages ?? [];
  }

  remember({ baseUrl, collection }: ListName, pages: readonly string[]): void {
    const key = keyOf({ baseUrl, collection });
    this.#lists.delete(key);
    if (pages.length > 0) this.#lists.set(key, { baseUrl, collection, pages });
  }

  [Symbol.iterator](): Iterator<RememberedList> {
    return this.#lists.values();
  }
}

function keyOf({ baseUrl, collection }: ListName): string {
  return JSON.stringify([baseUrl, collection]);
}
