import { EdgewiseError } from "../errors.js";
import { type Json, type JsonObject, type Value, isObject } from "../json.js";
import { isResourceId } from "../kinds/names.js";
import { limits } from "../limits.js";
import { Secret } from "../secret.js";
import type { Interpreted } from "./interpret-response.js";
import { basePath, urlOf } from "./request-parts.js";

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
  /** Called with the resources of each page. */
  readonly onPage?: ((items: readonly JsonObject[]) => void) | undefined;
}

/**
 * Reads a collection, page after page. A list that is incomplete or implausible is an error: a plan made from it would
 * create what exists and lose track of what the stack owns.
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
        throw unbelievable(collection, page, `the id "${show(id)}" appears again (first seen on page ${earlier})`);
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
      throw unbelievable(collection, page, `the list did not end after ${limits.listPages} pages`);
    if (empty > limits.emptyPages) throw unbelievable(collection, page, `${empty} empty pages in a row`);
    url = next.url;
  }
}

interface ListPage {
  readonly items: readonly { readonly id: string; readonly item: Value }[];
  readonly next: string | null;
}

function itemsOf(body: Value, collection: ListedCollection, page: number): ListPage {
  const { member } = collection;
  if (!isObject(body)) throw unbelievable(collection, page, "the response is not a JSON object");
  const list = body[member];
  if (!Array.isArray(list)) {
    throw unbelievable(collection, page, `the response has no array ${JSON.stringify(member)}`);
  }
  const items = list.map((item: unknown, index) => {
    const id = isObject(item) ? item["id"] : undefined;
    if (!isResourceId(id)) {
      throw unbelievable(collection, page, `${member}[${index}] is not an object with an id`);
    }
    return { id, item: item as Value };
  });
  const next = body["next_page_uri"] ?? null;
  if (next !== null && (typeof next !== "string" || next === "")) {
    throw unbelievable(collection, page, "next_page_uri is neither null nor a text");
  }
  return { items, next };
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

/** Where the next page is, or why it is refused (the end of a sentence about `next_page_uri`). */
export type NextPage = { readonly ok: true; readonly url: URL } | { readonly ok: false; readonly problem: string };

/**
 * Resolves a `next_page_uri`, absolute or relative to the current page. However it is spelled it must stay on the
 * origin of the base URL and below its path, because the API key is sent along.
 */
export function nextPage(uri: string, current: URL, base: URL): NextPage {
  if (/[\p{Cc}\s\\]/u.test(uri)) return problem("holds blanks, control characters or backslashes");
  // `https:edges/tls` would be resolved as if it were relative.
  if (/^[a-z][a-z0-9+.-]*:(?!\/\/)/i.test(uri)) return problem("is not an http or https URL");
  const url = resolve(uri, current, base);
  if (url === null) return problem("is not a URL");
  if (url.username !== "" || url.password !== "" || /^([a-z][a-z0-9+.-]*:)?\/*[^/?#]*@/i.test(uri)) {
    return problem("holds a user name or password");
  }
  if (url.origin !== base.origin) return problem("has another origin than the base URL");
  if (/%(2e|2f|5c|25|00)/i.test(url.pathname))
    return problem("holds an encoded dot, slash, backslash or percent sign in its path");
  const below = basePath(base);
  if (!url.pathname.startsWith(`${below}/`)) return problem("leads out of the base URL's path");
  url.hash = "";
  return { ok: true, url };
}

/**
 * Resolves it like any URL. But a path outside of the base URL's own that names the current collection when read
 * relative to the base URL, as the API's documentation writes paths, is read that way.
 */
function resolve(uri: string, current: URL, base: URL): URL | null {
  if (!URL.canParse(uri, current.href)) return null;
  const url = new URL(uri, current);
  const literal = `${base.origin}${basePath(base)}${uri}`;
  if (!/^\/(?!\/)/.test(uri) || url.pathname.startsWith(`${basePath(base)}/`) || !URL.canParse(literal)) return url;
  const relative = new URL(literal);
  return relative.pathname === current.pathname ? relative : url;
}

function problem(text: string): NextPage {
  return { ok: false, problem: text };
}
