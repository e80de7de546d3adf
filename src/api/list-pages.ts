import { EdgewiseError } from "../core/errors.js";
import type { Json, JsonObject, Value } from "../core/json.js";
import { limits } from "../core/limits.js";
import { Secret } from "../core/secret.js";
import type { Interpreted } from "./interpret-response.js";
import { nextPage, pageOf } from "./list-page.js";
import { RememberedPages, cursorOf } from "./remembered-pages.js";
import { urlOf } from "./request-parts.js";

export interface Paging {
  /** Gets one page. @param stop set when perhaps nobody will need it: it is asked for once */
  readonly read: (url: URL, stop?: AbortSignal) => Promise<Interpreted>;
  /** Makes a text from the server safe to print. */
  readonly show: (text: string) => string;
  /** The addresses of the second page and of all that followed last time, in order. */
  readonly remembered?: readonly string[];
  readonly distance?: number;
  /** Called once the list is complete. @param pages the addresses to remember; none = they should not be remembered */
  readonly onEnd?: (pages: readonly string[], counts: { readonly asked: number; readonly counted: number }) => void;
}

/** With more short pages than these, following the pages anew gives better addresses. */
const mostShortPages = 3;

/**
 * Reads a collection, page after page. A list that is incomplete or implausible is an error: a plan made from it would
 * create what exists and lose track of what the stack owns.
 * @throws EdgewiseError `list-unbelievable`, naming collection and page; whatever `read` throws
 */
export async function listPages(
  base: URL,
  { member, path }: { readonly path: string; readonly member: string },
  { distance = 0, onEnd, read, remembered = [], show }: Paging,
): Promise<readonly JsonObject[]> {
  const first = urlOf(base, path);
  // Whatever is wrong with a page, the list will find out itself if it comes there.
  const ahead = new RememberedPages(remembered, base, first, distance, async (address, stop) => {
    const found = await read(address, stop).then(
      ({ body }) => pageOf(body, member),
      () => null,
    );
    return typeof found === "string" ? null : found;
  });
  const items: JsonObject[] = [];
  /** The page of each id, and the addresses of all pages. */
  const ids = new Map<string, number>();
  const seen = new Set<string>();
  /** By which the list went, and whether such addresses stay valid. */
  const addresses: string[] = [];
  let areMemorable = true;
  let largest = 0;
  let bytes = 0;
  let empty = 0;
  let last: readonly string[] = [];
  let url = first;
  try {
    for (let page = 1; ; page += 1) {
      const unbelievable = (what: string): EdgewiseError =>
        new EdgewiseError("list-unbelievable", `GET ${path}, page ${page}: ${what}`, {
          remedy:
            "edgewise does not plan from a list that may be incomplete. Check the base URL; if it is right, the service is at fault.",
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
      largest = Math.max(largest, found.ids.length);
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
        const isTight = addresses.length <= items.length / largest + mostShortPages;
        onEnd?.(areMemorable && isTight ? addresses : [], ahead);
        return items;
      }
      empty = found.items.length === 0 ? empty + 1 : 0;
      const next = nextPage(found.next, at, base);
      if (!next.ok) throw unbelievable(`next_page_uri ${next.problem}`);
      if (seen.has(next.url.href)) throw unbelievable("next_page_uri leads back to an earlier page");
      if (page >= limits.listPages) throw unbelievable(`the list did not end after ${limits.listPages} pages`);
      if (empty > limits.emptyPages) throw unbelievable(`${empty} empty pages in a row`);
      last = found.ids;
      url = next.url;
    }
  } finally {
    ahead.stop();
  }
}

/** Lists contain no secrets, not even those of certificates; one that comes anyway is dropped. */
function withoutSecrets(value: Value): Json {
  if (Array.isArray(value)) return value.filter((part) => !(part instanceof Secret)).map(withoutSecrets);
  if (typeof value !== "object" || value === null || value instanceof Secret) return value as Json;
  const kept = Object.entries(value).filter(([, part]) => !(part instanceof Secret));
  return Object.fromEntries(kept.map(([member, part]) => [member, withoutSecrets(part ?? null)]));
}
