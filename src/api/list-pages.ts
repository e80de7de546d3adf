import { setMaxListeners } from "node:events";
import { EdgewiseError } from "../core/errors.js";
import { type Json, type JsonObject, type Value, isObject } from "../core/json.js";
import { limits } from "../core/limits.js";
import { Secret } from "../core/secret.js";
import { isResourceId } from "../kinds/names.js";
import type { Interpreted } from "./interpret-response.js";
import { basePath, urlOf } from "./request-parts.js";

type Paging = Readonly<{
  /** @param stop set for a remembered page, which is asked for once */
  read: (url: URL, stop?: AbortSignal) => Promise<Interpreted>;
  show: (text: string) => string;
  /** Of all pages but the first. */
  remembered: readonly string[];
  /** How many pages ahead of the list are asked for. */
  distance: number;
  onEnd: (pages: readonly string[], counts: Readonly<{ asked: number; counted: number }>) => void;
}>;

/** An incomplete list is an error: its plan would create what exists and lose track of what is owned. */
export async function listPages(
  base: URL,
  { member, path }: Readonly<{ path: string; member: string }>,
  paging: Paging,
): Promise<readonly JsonObject[]> {
  const { onEnd, read, show } = paging;
  const first = urlOf(base, path);
  const ahead = askAhead(base, first, member, paging);
  const items: JsonObject[] = [];
  const ids = new Map<string, number>();
  const seen = new Set<string>();
  const addresses: string[] = [];
  let areMemorable = true;
  let bytes = 0;
  let empty = 0;
  let last: readonly string[] = [];
  let url = first;
  try {
    for (let page = 1; ; page += 1) {
      const unbelievable = (what: string): EdgewiseError =>
        new EdgewiseError("list-unbelievable", `GET ${path}, page ${page}: ${what}`, {
          remedy:
            "edgewise does not plan from a list that may be incomplete. Check the base URL, or ask whoever runs the service.",
        });
      seen.add(url.href);
      const ready = page === 1 ? null : await ahead.continueAt(url, last, (what) => ids.has(what) || seen.has(what));
      let found = ready?.page;
      if (found === undefined) {
        const answer = await read(url);
        const own = pageOf(answer.body, member);
        if (typeof own === "string") throw unbelievable(own);
        found = own;
        bytes += answer.bytes;
        if (bytes > limits.listBytes) throw unbelievable(`the pages together have more than ${limits.listBytes} bytes`);
      }
      const at = ready?.url ?? url;
      seen.add(at.href);
      if (page > 1) {
        areMemorable &&= url.pathname === first.pathname && cursorOf(url)?.id === last.at(-1);
        addresses.push(at.href);
      }
      for (const id of found.ids) {
        const earlier = ids.get(id);
        if (earlier !== undefined)
          throw unbelievable(`the id "${show(id)}" appears again (first seen on page ${earlier})`);
        ids.set(id, page);
      }
      for (const item of found.items) items.push(withoutSecrets(item) as JsonObject);
      if (items.length > limits.listResources)
        throw unbelievable(`there are more than ${limits.listResources} resources`);
      if (found.next === null) {
        onEnd(areMemorable ? addresses : [], ahead.counts);
        return items;
      }
      empty = found.items.length === 0 ? empty + 1 : 0;
      const next = nextPage(found.next, at, base);
      if (typeof next === "string") throw unbelievable(`next_page_uri ${next}`);
      if (seen.has(next.href)) throw unbelievable("next_page_uri leads back to an earlier page");
      if (page >= limits.listPages) throw unbelievable(`the list did not end after ${limits.listPages} pages`);
      if (empty > limits.emptyPages) throw unbelievable(`${empty} empty pages in a row`);
      last = found.ids;
      url = next;
    }
  } finally {
    ahead.stop();
  }
}

type ListPage = Readonly<{
  items: readonly Value[];
  ids: readonly string[];
  next: string | null;
}>;

function pageOf(body: Value, member: string): ListPage | string {
  if (!isObject(body)) return "the response is not a JSON object";
  const items = body[member];
  if (!Array.isArray(items)) return `the response has no array ${JSON.stringify(member)}`;
  const ids: string[] = [];
  for (const [index, item] of items.entries()) {
    const id: unknown = isObject(item) ? item["id"] : undefined;
    if (!isResourceId(id)) return `${member}[${index}] is not an object with an id`;
    ids.push(id);
  }
  const next = body["next_page_uri"] ?? null;
  if (next !== null && (typeof next !== "string" || next === "")) return "next_page_uri is neither null nor a text";
  return { items, ids, next };
}

function withoutSecrets(value: Value): Json {
  if (Array.isArray(value)) return value.filter((part) => !(part instanceof Secret)).map(withoutSecrets);
  if (typeof value !== "object" || value === null || value instanceof Secret) return value as Json;
  const kept = Object.entries(value).filter(([, part]) => !(part instanceof Secret));
  return Object.fromEntries(kept.map(([member, part]) => [member, withoutSecrets(part ?? null)]));
}

/** A text says what is wrong. The API key is sent along, so the address stays below the base URL. */
export function nextPage(uri: string, current: URL, base: URL): URL | string {
  if (/[\p{Cc}\s\\]/u.test(uri)) return "holds blanks, control characters or backslashes";
  if (/^[a-z][a-z0-9+.-]*:(?!\/\/)/i.test(uri)) return "is not an http or https URL";
  const url = resolve(uri, current, base);
  if (url === null) return "is not a URL";
  if (url.username !== "" || url.password !== "" || /^([a-z][a-z0-9+.-]*:)?\/*[^/?#]*@/i.test(uri))
    return "holds a user name or password";
  if (url.origin !== base.origin) return "has another origin than the base URL";
  if (/%(2e|2f|5c|25|00)/i.test(url.pathname))
    return "holds an encoded dot, slash, backslash or percent sign in its path";
  if (!url.pathname.startsWith(`${basePath(base)}/`)) return "leads out of the base URL's path";
  url.hash = "";
  return url;
}

/** The API's documentation writes `/edges/tls?…`, below the base URL's path. */
function resolve(uri: string, current: URL, base: URL): URL | null {
  if (!URL.canParse(uri, current.href)) return null;
  const url = new URL(uri, current);
  const literal = `${base.origin}${basePath(base)}${uri}`;
  if (!/^\/(?!\/)/.test(uri) || url.pathname.startsWith(`${basePath(base)}/`) || !URL.canParse(literal)) return url;
  const relative = new URL(literal);
  return relative.pathname === current.pathname ? relative : url;
}

/**
 * An address that moves by the id alone that the page comes after, as in `?before_id=edgtls_1&limit=100`: its page
 * stays what it is while others come and go, unlike that of an offset.
 */
function cursorOf(url: URL): Readonly<{ shape: string; id: string }> | null {
  const [moving, ...more] = [...url.searchParams].filter(([name]) => name !== "limit");
  // A number may be an offset that happens to equal an id.
  if (moving === undefined || more.length > 0 || !/^(?=.*[A-Za-z_])[\w.~-]+$/.test(moving[1])) return null;
  const shape = new URL(url);
  shape.searchParams.set(moving[0], "");
  return { shape: shape.href, id: moving[1] };
}

/**
 * A remembered page counts only when the address that the list has reached differs from it by the id alone and names
 * the list's last resource, and when the page follows an id of the list's last page and begins with the rest of that
 * page. Following the chain could have given it. Whatever else comes is dropped.
 */
function askAhead(base: URL, first: URL, member: string, { distance, read, remembered }: Paging) {
  const stopping = new AbortController();
  setMaxListeners(0, stopping.signal);
  const pages = pagesAt(remembered, base, first);
  const indexes = new Map(pages.map(({ id }, index) => [id, index]));
  const answers: (Promise<ListPage | null> | null)[] = [];
  const counts = { asked: 0, counted: 0 };

  const get = async (url: URL): Promise<ListPage | null> => {
    const found = await read(url, stopping.signal).then(
      ({ body }) => pageOf(body, member),
      () => null,
    );
    return typeof found === "string" ? null : found;
  };
  const ask = (reached: number): void => {
    while (answers.length < reached) answers.push(null);
    for (const { url } of pages.slice(answers.length, reached + distance)) {
      if (stopping.signal.aborted) return;
      counts.asked += 1;
      answers.push(get(url));
    }
  };
  // The first page of every list comes first.
  void Promise.resolve().then(() => ask(0));

  return {
    counts,
    stop: () => stopping.abort(),
    /** Null = the list must ask itself. @param last the ids of its last page */
    continueAt: async (
      url: URL,
      last: readonly string[],
      isKnown: (what: string) => boolean,
    ): Promise<Readonly<{ url: URL; page: ListPage }> | null> => {
      const cursor = cursorOf(url);
      if (cursor === null || cursor.shape !== pages[0]?.shape || cursor.id !== last.at(-1)) return null;
      const named = last.findLastIndex((id) => indexes.has(id));
      const index = indexes.get(last[named] ?? "") ?? -1;
      const found = pages[index];
      if (found === undefined) return null;
      ask(index);
      const answer = await answers[index];
      if (!answer) return null;
      const known = last.slice(named + 1);
      const ids = answer.ids.slice(known.length);
      if (known.some((id, at) => answer.ids[at] !== id) || (known.length > 0 && ids.length === 0)) return null;
      if (new Set(ids).size < ids.length || ids.some(isKnown)) return null;
      const next = answer.next === null ? null : nextPage(answer.next, found.url, base);
      if (typeof next === "string" || (next !== null && isKnown(next.href))) return null;
      counts.counted += 1;
      return { url: found.url, page: { ...answer, ids, items: answer.items.slice(known.length) } };
    },
  };
}

function pagesAt(addresses: readonly string[], base: URL, first: URL) {
  const pages = addresses.slice(0, limits.listPages).flatMap((address) => {
    const url = nextPage(address, first, base);
    if (typeof url === "string" || url.href !== address || url.pathname !== first.pathname) return [];
    const cursor = cursorOf(url);
    return cursor === null ? [] : [{ url, ...cursor }];
  });
  return pages.length < addresses.length || pages.some(({ shape }) => shape !== pages[0]?.shape) ? [] : pages;
}
