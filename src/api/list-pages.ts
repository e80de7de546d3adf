import { EdgewiseError } from "../core/errors.js";
import { type Json, type JsonObject, type Value } from "../core/json.js";
import { limits } from "../core/limits.js";
import { Secret } from "../core/secret.js";
import type { Interpreted } from "./interpret-response.js";
import { pageOf } from "./list-page.js";
import { nextPage } from "./next-page.js";
import { type Asking, type Continuation, type ListSoFar, RememberedPages, cursorOf } from "./remembered-pages.js";
import { urlOf } from "./request-parts.js";

export interface ListedCollection {
  readonly path: string;
  /** The member of a response that holds the resources. */
  readonly member: string;
}

export interface Paging {
  /** Gets one page. */
  readonly read: (url: URL) => Promise<Interpreted>;
  /** Makes a text from the server safe to print. */
  readonly show: (text: string) => string;
  /** Absent = every page is asked for when the one before it has come. */
  readonly remembered?: RememberedList | undefined;
}

/** Where the pages of a list were. */
export interface RememberedList extends Asking {
  /** The addresses of the second page and of all that follow, in order. */
  readonly pages: readonly string[];
  /** Called with their addresses once the list is complete; none = they should not be remembered. */
  readonly remember: (pages: readonly string[]) => void;
  /** Called once the list is complete, when remembered pages were asked for. */
  readonly onCounts: (counts: { readonly asked: number; readonly counted: number }) => void;
}

/**
 * Reads a collection, page after page. A list that is incomplete or implausible is an error: a plan made from it would
 * create what exists and lose track of what the stack owns.
 *
 * Remembered pages are asked for side by side with the first one. Each page of the result is then still what the service
 * answered during this call at the address that the list had reached, or the rest of a page that begins earlier. Pages
 * may have been answered in another order than they are in. Every resource that exists all the time is in the list
 * exactly once, because only pages count whose address names the resource that they come after.
 * @throws EdgewiseError `list-unbelievable`, naming collection and page; whatever `read` throws
 */
export async function listPages(
  base: URL,
  collection: ListedCollection,
  paging: Paging,
): Promise<readonly JsonObject[]> {
  const first = urlOf(base, collection.path);
  const { remembered } = paging;
  if (remembered === undefined) return follow({ base, first, collection, paging, ahead: null });
  const ahead = new RememberedPages(remembered.pages, { base, first, member: collection.member }, remembered);
  ahead.start();
  try {
    const items = await follow({ base, first, collection, paging, ahead });
    if (ahead.counts.asked > 0) remembered.onCounts(ahead.counts);
    return items;
  } finally {
    ahead.stop();
  }
}

interface Chain {
  readonly base: URL;
  readonly first: URL;
  readonly collection: ListedCollection;
  readonly paging: Paging;
  readonly ahead: RememberedPages | null;
}

async function follow({ base, first, collection, paging, ahead }: Chain): Promise<readonly JsonObject[]> {
  const { read, remembered, show } = paging;
  const items: JsonObject[] = [];
  const order: string[] = [];
  const ids = new Map<string, number>();
  const seen = new Set<string>();
  const soFar: ListSoFar = { order, has: (id) => ids.has(id), wasAt: ({ href }) => seen.has(href) };
  const steps = new PageSteps(first);
  let empty = 0;
  let bytes = 0;
  let url = first;
  for (let page = 1; ; page += 1) {
    seen.add(url.href);
    const ready = page === 1 || ahead === null ? null : await ahead.continueAt(url, soFar);
    const answer = ready?.answer ?? (await read(url));
    bytes += answer.bytes;
    if (bytes > limits.listBytes) {
      throw unbelievable(collection, page, `the pages together have more than ${limits.listBytes} bytes`);
    }
    const found = ready?.page ?? pageOf(answer.body, collection.member);
    if (typeof found === "string") throw unbelievable(collection, page, found);
    steps.add(url, soFar, ready ?? found.items.length);
    const from = order.length;
    for (const { id } of found.items) {
      const earlier = ids.get(id);
      if (earlier !== undefined) {
        throw unbelievable(collection, page, `the id "${show(id)}" appears again (first seen on page ${earlier})`);
      }
      ids.set(id, page);
      order.push(id);
    }
    const clean = found.items.map(({ item }) => (answer.secrets ? withoutSecrets(item) : item) as JsonObject);
    for (const item of clean) items.push(item);
    if (items.length > limits.listResources) {
      throw unbelievable(collection, page, `there are more than ${limits.listResources} resources`);
    }
    if (found.next === null) {
      remembered?.remember(steps.worthRemembering(items.length));
      return items;
    }
    empty = found.items.length === 0 ? empty + 1 : 0;
    const at = ready?.url ?? url;
    seen.add(at.href);
    const next = nextPage(found.next, at, base);
    if (!next.ok) throw unbelievable(collection, page, `next_page_uri ${next.problem}`);
    if (seen.has(next.url.href)) throw unbelievable(collection, page, "next_page_uri leads back to an earlier page");
    if (page >= limits.listPages)
      throw unbelievable(collection, page, `the list did not end after ${limits.listPages} pages`);
    if (empty > limits.emptyPages) throw unbelievable(collection, page, `${empty} empty pages in a row`);
    url = next.url;
    ahead?.passed(soFar, from);
  }
}

/** When more resources than those of so many pages were read twice, following the pages anew gives better addresses. */
const mostReadTwice = 3;

/** The addresses that a list went by. */
class PageSteps {
  readonly #first: URL;
  readonly #addresses: string[] = [];
  #isMemorable = true;
  #shape: string | null = null;
  #read = 0;
  #largest = 0;

  constructor(first: URL) {
    this.#first = first;
  }

  /** @param page what was used of a remembered page, or the number of resources of the list's own page */
  add(url: URL, { order }: ListSoFar, page: Continuation | number): void {
    const size = typeof page === "number" ? page : page.size;
    this.#read += size;
    this.#largest = Math.max(this.#largest, size);
    if (url === this.#first) return;
    const cursor = cursorOf(url);
    this.#shape ??= cursor?.shape ?? null;
    this.#isMemorable &&=
      cursor !== null &&
      cursor.shape === this.#shape &&
      cursor.id === order.at(-1) &&
      url.pathname === this.#first.pathname;
    this.#addresses.push(typeof page === "number" ? url.href : page.url.href);
  }

  /**
   * The addresses to remember. None when they are not of the sort that stays valid, and when earlier changes of the list
   * left so many short steps that it would take noticeably more requests than it has pages.
   */
  worthRemembering(resources: number): readonly string[] {
    const isTight = this.#read - resources <= mostReadTwice * this.#largest;
    return this.#isMemorable && isTight ? this.#addresses : [];
  }
}

/** Lists contain no secrets, not even those of certificates; one that comes anyway is dropped. */
function withoutSecrets(value: Value): Json {
  if (Array.isArray(value)) return value.filter((part) => !(part instanceof Secret)).map(withoutSecrets);
  if (typeof value !== "object" || value === null || value instanceof Secret) return value as Json;
  const kept = Object.entries(value).filter(([, part]) => !(part instanceof Secret));
  return Object.fromEntries(kept.map(([member, part]) => [member, withoutSecrets(part ?? null)]));
}

function unbelievable(collection: ListedCollection, page: number, what: string): EdgewiseError {
  return new EdgewiseError("list-unbelievable", `GET ${collection.path}, page ${page}: ${what}`, {
    remedy:
      "edgewise does not plan from a list that may be incomplete. Check the base URL; if it is right, the service is at fault.",
  });
}
