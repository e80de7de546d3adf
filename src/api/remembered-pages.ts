import { setMaxListeners } from "node:events";
import { limits } from "../core/limits.js";
import { type ListPage, nextPage } from "./list-page.js";

/** Remembers the addresses of the pages of lists, from the second on. They are not trusted: see {@link RememberedPages}. */
export interface PageMemory {
  /** The addresses of a list, in order; empty = none are known. */
  recall(list: ListName): readonly string[];
  /** Replaces what was known about a list; empty = forgets it. */
  remember(list: ListName, pages: readonly string[]): void;
}

export interface ListName {
  readonly baseUrl: string;
  /** `/edges/tls`. */
  readonly collection: string;
}

export class PageStore implements PageMemory {
  readonly #lists = new Map<string, ListName & { readonly pages: readonly string[] }>();

  recall(list: ListName): readonly string[] {
    return this.#lists.get(keyOf(list))?.pages ?? [];
  }

  remember({ baseUrl, collection }: ListName, pages: readonly string[]): void {
    const key = keyOf({ baseUrl, collection });
    this.#lists.delete(key);
    if (pages.length > 0) this.#lists.set(key, { baseUrl, collection, pages });
  }

  /** All lists, those that were remembered first in front. */
  [Symbol.iterator](): Iterator<ListName & { readonly pages: readonly string[] }> {
    return this.#lists.values();
  }
}

function keyOf({ baseUrl, collection }: ListName): string {
  return JSON.stringify([baseUrl, collection]);
}

/** The same memory, used once for each list: later lists, which check what was written, follow the chain of pages. */
export function recalledOnce(memory: PageMemory): PageMemory {
  const recalled = new Set<string>();
  return {
    recall: (list) => {
      if (recalled.has(keyOf(list))) return [];
      recalled.add(keyOf(list));
      return memory.recall(list);
    },
    remember: (list, pages) => memory.remember(list, pages),
  };
}

/**
 * Reads an address whose only moving part is the id of the resource that the page comes after, as in
 * `?before_id=edgtls_1&limit=100`. Such a page stays what it is while other resources are created and deleted, so it may
 * be read at any time. Anything else in a query (an offset, a page number, a snapshot) may move or expire.
 * @returns the id, and the address without it: pages of one list have the same. Null when it is another sort of address.
 */
export function cursorOf(url: URL): { readonly shape: string; readonly id: string } | null {
  const [moving, ...more] = [...url.searchParams].filter(([name]) => name !== "limit");
  // Ids are written alike in a URL and in JSON. A number may be an offset that happens to equal one.
  if (moving === undefined || more.length > 0 || !/^(?=.*[A-Za-z_])[\w.~-]+$/.test(moving[1])) return null;
  const shape = new URL(url);
  shape.searchParams.set(moving[0], "");
  return { shape: shape.href, id: moving[1] };
}

/** What a list goes on with: where the page is, and what comes after the resources that the list has. */
interface Continuation {
  readonly url: URL;
  readonly page: ListPage;
}

/**
 * The pages of one list that were remembered from an earlier one, asked for before the list reaches them.
 *
 * A page counts only when the address that the list has reached has the same shape and names the list's last resource;
 * when the page's own address names a resource of the list's last page; and when it begins with everything that the list
 * has after that resource. The service gave the page during this listing, so whoever had asked for the rest of it then
 * would have got it. A page that doesn't fit is dropped as a whole, whatever is wrong with it, and the list asks itself.
 * So remembered addresses can't change the result, wherever they come from.
 */
export class RememberedPages {
  readonly #base: URL;
  readonly #read: (url: URL) => Promise<ListPage | null>;
  readonly #distance: number;
  readonly #pages: readonly { readonly url: URL; readonly shape: string; readonly id: string }[] = [];
  readonly #after = new Map<string, number>();
  /** By index; null = not asked for. */
  readonly #answers: (Promise<ListPage | null> | null)[] = [];
  readonly #stop = new AbortController();
  asked = 0;
  counted = 0;

  /**
   * @param addresses from a memory; if one of them can't be a page of this list, none is used
   * @param first the address of the first page
   * @param distance how many pages are asked for beyond the one that the list has reached
   * @param read gets one page, once; null when that is not possible
   */
  constructor(
    addresses: readonly string[],
    base: URL,
    first: URL,
    distance: number,
    read: (url: URL, stop: AbortSignal) => Promise<ListPage | null>,
  ) {
    this.#base = base;
    this.#distance = distance;
    this.#read = async (url) => read(url, this.#stop.signal);
    setMaxListeners(0, this.#stop.signal);
    const pages = addresses.slice(0, limits.listPages).flatMap((address) => {
      const next = nextPage(address, first, base);
      const isOwn = next.ok && next.url.href === address && next.url.pathname === first.pathname;
      const cursor = isOwn ? cursorOf(next.url) : null;
      return next.ok && cursor !== null ? [{ url: next.url, ...cursor }] : [];
    });
    if (pages.length < addresses.length || pages.some(({ shape }) => shape !== pages[0]?.shape)) return;
    this.#pages = pages;
    for (const [index, { id }] of pages.entries()) this.#after.set(id, index);
    // After all requests that are being made right now: the first page of every list comes first.
    void Promise.resolve().then(() => this.#ask(0));
  }

  /** Asks for the page that the list has reached, and for those behind it up to a distance. */
  #ask(reached: number): void {
    while (this.#answers.length < reached) this.#answers.push(null);
    for (const { url } of this.#pages.slice(this.#answers.length, reached + this.#distance)) {
      if (this.#stop.signal.aborted) return;
      this.asked += 1;
      this.#answers.push(this.#read(url));
    }
  }

  /** Drops what waits to be sent. What is in flight is ignored. */
  stop(): void {
    this.#stop.abort();
  }

  /**
   * What the list goes on with at an address that it has reached; null = it must ask there itself.
   * @param last the ids of its last page
   * @param isKnown whether an id is in the list, or it has been at an address
   */
  async continueAt(
    url: URL,
    last: readonly string[],
    isKnown: (what: string) => boolean,
  ): Promise<Continuation | null> {
    const cursor = cursorOf(url);
    if (cursor === null || cursor.shape !== this.#pages[0]?.shape || cursor.id !== last.at(-1)) return null;
    const named = last.findLastIndex((id) => this.#after.has(id));
    const index = this.#after.get(last[named] ?? "") ?? -1;
    const found = this.#pages[index];
    if (found === undefined) return null;
    this.#ask(index);
    const answer = await this.#answers[index];
    if (!answer) return null;
    const known = last.slice(named + 1);
    const ids = answer.ids.slice(known.length);
    if (known.some((id, index) => answer.ids[index] !== id) || (known.length > 0 && ids.length === 0)) return null;
    if (new Set(ids).size < ids.length || ids.some(isKnown)) return null;
    if (answer.next !== null) {
      const next = nextPage(answer.next, found.url, this.#base);
      if (!next.ok || isKnown(next.url.href)) return null;
    }
    this.counted += 1;
    return { url: found.url, page: { ...answer, ids, items: answer.items.slice(known.length) } };
  }
}
