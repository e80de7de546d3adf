import { setMaxListeners } from "node:events";
import { limits } from "../core/limits.js";
import type { Semaphore } from "../core/semaphore.js";
import type { Interpreted } from "./interpret-response.js";
import { type ListPage, pageOf } from "./list-page.js";
import { nextPage } from "./next-page.js";

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

/** The addresses of any number of lists. What was not remembered anew for longest goes when there are too many. */
export class PageStore implements PageMemory {
  readonly #lists = new Map<string, { readonly name: ListName; readonly pages: readonly string[] }>();
  readonly #most: number;
  #count = 0;

  /** @param most how many addresses it holds, of all lists together */
  constructor(most: number = limits.rememberedPages) {
    this.#most = most;
  }

  recall(list: ListName): readonly string[] {
    return this.#lists.get(keyOf(list))?.pages ?? [];
  }

  remember(list: ListName, pages: readonly string[]): void {
    this.#forget(keyOf(list));
    if (pages.length === 0 || pages.length > this.#most) return;
    this.#lists.set(keyOf(list), { name: list, pages });
    this.#count += pages.length;
    for (const oldest of this.#lists.keys()) {
      if (this.#count <= this.#most) break;
      this.#forget(oldest);
    }
  }

  /** All lists, those that were remembered first in front. */
  *[Symbol.iterator](): Generator<ListName & { readonly pages: readonly string[] }> {
    for (const { name, pages } of this.#lists.values()) yield { ...name, pages };
  }

  #forget(key: string): void {
    this.#count -= this.#lists.get(key)?.pages.length ?? 0;
    this.#lists.delete(key);
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
export interface PageCursor {
  /** The address without the id: pages of one list have the same. */
  readonly shape: string;
  /** The resource that the page comes after. */
  readonly id: string;
}

/** Written alike in a URL and in JSON; and no number, because an offset may happen to equal an id. */
const plainId = /^(?=.*[A-Za-z_])[\w.~-]+$/;

/**
 * Reads an address whose only moving part may be the id of the resource that the page comes after, as in
 * `?before_id=edgtls_1&limit=100`. Such a page stays what it is while other resources are created and deleted, so it may
 * be read at any time. Anything else in a query (an offset, a page number, a snapshot) may move or expire.
 * @returns null when it is another sort of address. Whether the id is a resource's is for the caller to find out.
 */
export function cursorOf({ hash, origin, pathname, search }: URL): PageCursor | null {
  const parts = search.slice(1).split("&");
  const [moving, ...more] = parts.filter((part) => !/^limit=\d+$/.test(part));
  if (moving === undefined || more.length > 0 || hash !== "") return null;
  const [name, id, ...rest] = moving.split("=");
  if (name === undefined || id === undefined || rest.length > 0 || !/^[a-z_]+$/i.test(name)) return null;
  if (name === "limit" || !plainId.test(id)) return null;
  const fixed = parts.map((part) => (part === moving ? `${name}=` : part));
  return { shape: `${origin}${pathname}?${fixed.join("&")}`, id };
}

/** How requests for remembered pages are sent. */
export interface Asking {
  /** One GET. A failure is not repeated for long: nobody may need the page. */
  readonly read: (url: URL, stop: AbortSignal) => Promise<Interpreted>;
  /** Shared by all lists of a client. */
  readonly turns: Semaphore;
  /** How many pages are asked for beyond the one that the list has reached. */
  readonly distance: number;
}

/** The list that pages are asked for. */
export interface AheadList {
  readonly base: URL;
  /** The address of the first page. */
  readonly first: URL;
  readonly member: string;
}

/** A list so far. */
export interface ListSoFar {
  /** All ids, in order. */
  readonly order: readonly string[];
  has(id: string): boolean;
  /** Whether it has been at this address. */
  wasAt(url: URL): boolean;
}

/** What a list goes on with. */
export interface Continuation {
  /** Where the page is, which `next` is relative to. */
  readonly url: URL;
  /** What comes after the resources that the list has. */
  readonly page: ListPage;
  readonly answer: Interpreted;
  /** How many resources the whole page has. */
  readonly size: number;
}

interface AskedPage {
  readonly url: URL;
  /** Null = not asked for, or no longer needed. What it resolves to is null when the request failed. */
  answer: Promise<Interpreted | null> | null;
  /** Of an answer that waits for the list to come here. */
  bytes: number;
  isDone: boolean;
}

/**
 * The pages of one list that were remembered from an earlier one, asked for before the list reaches them.
 *
 * A page counts only when the address that the list has reached has the same shape and names the list's last resource;
 * when the page's own address names a resource of the list; and when the page begins with everything that the list has
 * after that resource. The service gave the page during this listing, so whoever had asked for the rest of it then would
 * have got it. A page that doesn't fit is dropped as a whole, whatever is wrong with it.
 *
 * Remembered addresses can't change the result, wherever they come from: each that counts is what the service itself
 * would have given after that resource.
 */
export class RememberedPages {
  readonly #list: AheadList;
  readonly #asking: Asking;
  readonly #pages: readonly AskedPage[];
  /** Of all addresses. Null = there are none. */
  readonly #shape: string | null;
  /** The index in `#pages` of the page after a resource. */
  readonly #after = new Map<string, number>();
  readonly #stop = new AbortController();
  /** The last resource of the list that a page's address names, by its index, and that page's; -1 = none. */
  #reached = { page: -1, resource: -1 };
  /** How many pages lie behind the list. */
  #passed = 0;
  #next = 0;
  #isSending = false;
  #heldBytes = 0;
  #asked = 0;
  #counted = 0;

  /** @param pages addresses from a memory; if one of them can't be a page of this list, none is used */
  constructor(pages: readonly string[], list: AheadList, asking: Asking) {
    this.#list = list;
    this.#asking = asking;
    const usable = usablePages(pages, list);
    this.#shape = usable[0]?.cursor.shape ?? null;
    this.#pages = usable.map(({ url }) => ({ url, answer: null, bytes: 0, isDone: false }));
    for (const [index, { cursor }] of usable.entries()) this.#after.set(cursor.id, index);
    setMaxListeners(0, this.#stop.signal);
  }

  /** How many pages were asked for, and how many of them the list could use. */
  get counts(): { readonly asked: number; readonly counted: number } {
    return { asked: this.#asked, counted: this.#counted };
  }

  /** Begins, but after all requests that are being made right now: the first page of every list comes first. */
  start(): void {
    if (this.#pages.length > 0) void Promise.resolve().then(() => this.#send());
  }

  /** Asks for nothing more, and drops what waits to be sent. What is in flight is ignored. */
  stop(): void {
    this.#stop.abort();
    for (const page of this.#pages) this.#drop(page);
  }

  /** Tells that the list has got longer. @param from the index of its first new resource */
  passed({ order }: ListSoFar, from: number): void {
    if (this.#shape === null) return;
    for (let resource = from; resource < order.length; resource += 1) {
      const page = this.#after.get(order[resource] ?? "");
      if (page !== undefined) this.#reached = { page, resource };
    }
    for (; this.#passed < this.#reached.page; this.#passed += 1) this.#dropAt(this.#passed);
    this.#send();
  }

  /**
   * What the list goes on with at an address that it has reached; null = it must ask there itself.
   * @param url the address, from the list's last page
   */
  async continueAt(url: URL, list: ListSoFar): Promise<Continuation | null> {
    if (this.#shape === null || this.#stop.signal.aborted) return null;
    const cursor = cursorOf(url);
    if (cursor?.shape !== this.#shape || cursor.id !== list.order.at(-1)) {
      // The service's addresses look different now, so it won't come to the remembered ones.
      this.stop();
      return null;
    }
    const page = this.#pages[this.#reached.page];
    if (page === undefined || page.isDone) return null;
    const answer = await page.answer;
    this.#drop(page);
    this.#send();
    const found = answer === null ? null : this.#fitting(page.url, answer, list);
    if (found !== null) this.#counted += 1;
    return found;
  }

  /** The part of a page that the list goes on with; null when the page can't be used. */
  #fitting(url: URL, answer: Interpreted, list: ListSoFar): Continuation | null {
    const page = pageOf(answer.body, this.#list.member);
    if (typeof page === "string") return null;
    const known = list.order.slice(this.#reached.resource + 1);
    const items = page.items.slice(known.length);
    const overlaps = known.every((id, index) => page.items[index]?.id === id);
    const ids = new Set(items.map(({ id }) => id));
    const repeats = ids.size < items.length || items.some(({ id }) => list.has(id));
    // If all of it is known, the list's own address says more.
    if (!overlaps || repeats || (known.length > 0 && items.length === 0)) return null;
    if (page.next !== null) {
      const next = nextPage(page.next, url, this.#list.base);
      if (!next.ok || list.wasAt(next.url)) return null;
    }
    return { url, page: { items, next: page.next }, answer, size: page.items.length };
  }

  /** Sends requests while there are turns for them. */
  #send(): void {
    if (this.#isSending || this.#wanted() === null) return;
    this.#isSending = true;
    const { turns } = this.#asking;
    void turns.acquire().then(() => {
      this.#isSending = false;
      const page = this.#wanted();
      if (page === null) return turns.release();
      this.#next += 1;
      page.answer = this.#ask(page).finally(() => turns.release());
      return this.#send();
    });
  }

  /** The next page to ask for; null = none, for now. */
  #wanted(): AskedPage | null {
    if (this.#stop.signal.aborted || this.#heldBytes > limits.aheadBytes) return null;
    while (this.#pages[this.#next]?.isDone === true) this.#next += 1;
    return this.#next > this.#reached.page + this.#asking.distance ? null : (this.#pages[this.#next] ?? null);
  }

  async #ask(page: AskedPage): Promise<Interpreted | null> {
    this.#asked += 1;
    // Whatever is wrong, the list will find out itself if it comes here.
    const answer = await this.#asking.read(page.url, this.#stop.signal).catch(() => null);
    if (page.isDone) return answer;
    page.bytes = answer?.bytes ?? 0;
    this.#heldBytes += page.bytes;
    return answer;
  }

  #dropAt(index: number): void {
    const page = this.#pages[index];
    if (page !== undefined) this.#drop(page);
  }

  #drop(page: AskedPage): void {
    page.isDone = true;
    page.answer = null;
    this.#heldBytes -= page.bytes;
    page.bytes = 0;
  }
}

/** Remembered addresses as URLs, if all of them can be pages of the list. */
function usablePages(
  pages: readonly string[],
  { base, first }: AheadList,
): readonly { readonly url: URL; readonly cursor: PageCursor }[] {
  if (pages.length > limits.listPages) return [];
  const found = [];
  for (const text of pages) {
    const next = nextPage(text, first, base);
    if (!next.ok || next.url.href !== text || next.url.pathname !== first.pathname) return [];
    const cursor = cursorOf(next.url);
    if (cursor === null || cursor.shape !== (found[0]?.cursor.shape ?? cursor.shape)) return [];
    found.push({ url: next.url, cursor });
  }
  return found;
}
