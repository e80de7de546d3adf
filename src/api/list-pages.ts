import { EdgewiseError } from "../errors.js";
import { type Json, type JsonObject, type Value, isObject } from "../json.js";
import { isResourceId } from "../kinds/names.js";
import { limits } from "../limits.js";
import { Secret } from "../secret.js";
import { urlOf } from "./base-url.js";
import type { Interpreted } from "./interpret-answer.js";
import { nextPage } from "./next-page.js";

export interface ListedCollection {
  readonly path: string;
  /** The member of an answer that holds the resources, specification "Conventions". */
  readonly member: string;
}

export interface Paging {
  /** Gets one page. */
  readonly read: (url: URL) => Promise<Interpreted>;
  /** Makes a text of the server fit to print. */
  readonly show: (text: string) => string;
  /** Told the resources of each page. */
  readonly onPage?: ((items: readonly JsonObject[]) => void) | undefined;
}

/**
 * Reads a collection, page after page. It is complete and believable, or it is an error: a plan made from a shorter
 * list would create what exists and lose sight of what it owns.
 * @throws EdgewiseError `list-unbelievable`, naming collection and page; whatever `read` throws
 */
export async function listPages(
  base: URL,
  collection: ListedCollection,
  { onPage, read, show }: Paging,
): Promise<readonly JsonObject[]> {
  const items: JsonObject[] = [];
  const ids = new Map<string, number>();
  const seen = new Set<string>();
  let empty = 0;
  let bytes = 0;
  let url = urlOf(base, collection.path);
  for (let page = 1; ; page += 1) {
    seen.add(url.href);
    const { body, bytes: length, secrets } = await read(url);
    bytes += length;
    if (bytes > limits.listBytes) {
      throw unbelievable(collection, page, `the pages together have more than ${limits.listBytes} bytes`);
    }
    const found = itemsOf(body, collection, page);
    for (const { id } of found.items) {
      const earlier = ids.get(id);
      if (earlier !== undefined) {
        throw unbelievable(collection, page, `the id "${show(id)}" comes again (page ${earlier} has it too)`);
      }
      ids.set(id, page);
    }
    const clean = found.items.map(({ item }) => (secrets ? withoutSecrets(item) : item) as JsonObject);
    for (const item of clean) items.push(item);
    if (items.length > limits.listResources) {
      throw unbelievable(collection, page, `there are more than ${limits.listResources} resources`);
    }
    onPage?.(clean);
    if (found.next === null) return items;
    empty = found.items.length === 0 ? empty + 1 : 0;
    const next = nextPage(found.next, url, base);
    if (!next.ok) throw unbelievable(collection, page, `next_page_uri ${next.problem}`);
    if (seen.has(next.url.href)) throw unbelievable(collection, page, "next_page_uri leads back to an earlier page");
    if (page >= limits.listPages)
      throw unbelievable(collection, page, `there is no end after ${limits.listPages} pages`);
    if (empty > limits.emptyPages)
      throw unbelievable(collection, page, `there is nothing on ${empty} pages, and no end`);
    url = next.url;
  }
}

interface ListPage {
  readonly items: readonly { readonly id: string; readonly item: Value }[];
  readonly next: string | null;
}

function itemsOf(body: Value, collection: ListedCollection, page: number): ListPage {
  const { member } = collection;
  if (!isObject(body)) throw unbelievable(collection, page, "the answer is no object");
  const list = body[member];
  if (!Array.isArray(list)) {
    throw unbelievable(collection, page, `the answer has no array ${JSON.stringify(member)}`);
  }
  const items = list.map((item: unknown, index) => {
    const id = isObject(item) ? item["id"] : undefined;
    if (!isResourceId(id)) {
      throw unbelievable(collection, page, `${member}[${index}] is no object with an id`);
    }
    return { id, item: item as Value };
  });
  const next = body["next_page_uri"] ?? null;
  if (next !== null && (typeof next !== "string" || next === "")) {
    throw unbelievable(collection, page, "next_page_uri is neither null nor a text");
  }
  return { items, next };
}

/** No collection has secrets among its fields (specification, "TLS certificate"); one that comes anyway is dropped. */
function withoutSecrets(value: Value): Json {
  if (Array.isArray(value)) return value.filter((part) => !(part instanceof Secret)).map(withoutSecrets);
  if (typeof value !== "object" || value === null || value instanceof Secret) return value as Json;
  const kept = Object.entries(value).filter(([, part]) => !(part instanceof Secret));
  return Object.fromEntries(kept.map(([member, part]) => [member, withoutSecrets(part ?? null)]));
}

function unbelievable(collection: ListedCollection, page: number, what: string): EdgewiseError {
  return new EdgewiseError("list-unbelievable", `GET ${collection.path}, page ${page}: ${what}`, {
    remedy:
      "Nothing is planned from a list that may be incomplete. Check the base URL; if it is right, the service is at fault.",
  });
}
