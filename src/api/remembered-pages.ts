import { setMaxListeners } from "node:events";
import { limits } from "../core/limits.js";
import { type ListPage, nextPage } from "./list-page.js";

/**
 * Remembers the addresses of the pages of lists, from the second page on, as the service gave them. It holds nothing of
 * their content. What it returns is not trusted: see {@link RememberedPages}.
 */
export interface PageMemory {
  /** The addresses of a list, in order; empty = none are known. */
  recall(list: ListName): readonly string[];
  /** Replaces what was known about a list; empty = forgets it. */
  remember(list: ListName, pages: readonly string[]): void;
}

/** A list of one service. */
export interface ListName {
  /** Without a trailing slash. */
  readonly baseUrl: string;
  /** `/edges/tls`. */
  readonly collection: string;
}

/** The addresses of any number of lists. */
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

/**
 * The same memory for a client that may use it once for each list: later lists, which check what was written, follow the
 * chain of pages. What they find is remembered all the same.
 */
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

/** What tells the address of one page of a list from those of all others. */
interface PageCursor {
  /** The address without the id: pages of one list have the same. */
  readonly shape: string;
  /** The resource that the page comes after. */
  readonly id: string;
}

/** Written alike in a URL and in JSON; and no number, because an offset may happen to equal an id. */
const plainId = /^(?=.*[A-Za-z_])[\w.~-]+$/;

/**
 * Reads an address whose only moving part is the id of the resource that the page comes after, as in
 * `?before_id=edgtls_1&limit=100`. Such a page stays what it is while other resources are created and deleted, so it may
 * be read at any time. Anything else in a query (an offset, a page number, a snapshot) may move or expire.
 * @returns null when it is another sort of address. Whether the id is a resource's is for the caller to find out.
 */
export function cursorOf(url: URL): PageCursor | null {
  const [moving, ...more] = [...url.searchParams].filter(([name]) => name !== "limit");
  if (moving === undefined || more.length > 0 || !plainId.test(moving[1])) return null;
  const shape = new URL(url);
  shape.searchParams.set(moving[0], "");
  return { shape: shape.href, id: moving[1] };
}

/** The list that pages are asked for. */
export interface RememberedList {
  readonly base: URL;
  /** The address of the first page. */
  readonly first: URL;
  /** Gets one page, without another attempt as nobody may need it; null when that is not possible. */
  readonly read: (url: URL, stop: AbortSignal) => Promise<ListPage | null>;
  /** How many pages are asked for beyond the one that the list has reached. */
  readonly distance: number;
}

/** What a list goes on with. */
export interface Continuation {
  /** Where the page is, which `next` is relative to. */
  readonly url: URL;
  /** What comes after the resources that the list has. */
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
  readonly #list: RememberedList;
  readonly #pages: readonly RememberedPage[];
  /** The index of the page after a resource. */
  readonly #after: ReadonlyMap<string, number>;
  /** By index; null = not asked for. */
  readonly #answers: (Promise<ListPage | null> | null)[] = [];
  readonly #stop = new AbortController();
  #asked = 0;
  #counted = 0;

  /** @param addresses from a memory; if one of them can't be a page of this list, none is used */
  constructor(addresses: readonly string[], list: RememberedList) {
    this.#list = list;
    this.#pages = usablePages(addresses, list);
    this.#after = new Map(this.#pages.map(({ cursor }, index) => [cursor.id, index]));
    setMaxListeners(0, this.#stop.signal);
    // After all requests that are being made right now: the first page of every list comes first.
    void Promise.resolve().then(() => this.#ask(0));
  }

  /** How many pages were asked for, and how many of them the list could use. */
  get counts(): { readonly asked: number; readonly counted: number } {
    return { asked: this.#asked, counted: this.#counted };
  }

  /** Asks for nothing more, and drops what waits to be sent. What is in flight is ignored. */
  stop(): void {
    this.#stop.abort();
  }

  /** Asks for the page that the list has reached, and for those behind it up to a distance. */
  #ask(reached: number): void {
    const { distance, read } = this.#list;
    while (this.#answers.length < reached) this.#answers.push(null);
    for (const { url } of this.#pages.slice(this.#answers.length, reached + distance)) {
      if (this.#stop.signal.aborted) return;
      this.#asked += 1;
      this.#answers.push(read(url, this.#stop.signal));
    }
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
    if (cursor === null || cursor.shape !== this.#pages[0]?.cursor.shape || cursor.id !== last.at(-1)) return null;
    const named = last.findLastIndex((id) => this.#after.has(id));
    const index = this.#after.get(last[named] ?? "") ?? -1;
    const found = this.#pages[index];
    if (found === undefined) return null;
    this.#ask(index);
    const answer = await this.#answers[index];
    const page = answer ? pageAfter(last.slice(named + 1), answer) : null;
    if (page === null || new Set(page.ids).size < page.ids.length || page.ids.some(isKnown)) return null;
    if (page.next !== null) {
      const next = nextPage(page.next, found.url, this.#list.base);
      if (!next.ok || isKnown(next.url.href)) return null;
    }
    this.#counted += 1;
    return { url: found.url, page };
  }
}

/** What a page has after resources that the list knows; null when it doesn't begin with them, or has nothing else. */
function pageAfter(known: readonly string[], page: ListPage): ListPage | null {
  const ids = page.ids.slice(known.length);
  const overlaps = known.every((id, index) => page.ids[index] === id);
  if (!overlaps || (known.length > 0 && ids.length === 0)) return null;
  return { ...page, ids, items: page.items.slice(known.length) };
}

interface RememberedPage {
  readonly url: URL;
  readonly cursor: PageCursor;
}

/** Remembered addresses as URLs, if all of them can be pages of the list. */
function usablePages(addresses: readonly string[], { base, first }: RememberedList): readonly RememberedPage[] {
  if (addresses.length > limits.listPages) return [];
  const pages: RememberedPage[] = [];
  for (const address of addresses) {
    const next = nextPage(address, first, base);
    if (!next.ok || next.url.href !== address || next.url.pathname !== first.pathname) return [];
    const cursor = cursorOf(next.url);
    if (cursor === null || cursor.shape !== (pages[0]?.cursor.shape ?? cursor.shape)) return [];
    pages.push({ url: next.url, cursor });
  }
  return pages;
}
