import { type Value, isObject } from "../core/json.js";
import { isResourceId } from "../kinds/names.js";
import { basePath } from "./request-parts.js";

export interface ListPage {
  readonly items: readonly Value[];
  readonly ids: readonly string[];
  /** The page's `next_page_uri`, which nobody has checked; null = it is the last page. */
  readonly next: string | null;
}

/** Reads the body of a response as a page; returns why it is none, when it isn't one. */
export function pageOf(body: Value, member: string): ListPage | string {
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

export type NextPage = { readonly ok: true; readonly url: URL } | { readonly ok: false; readonly problem: string };

/**
 * Resolves a `next_page_uri`. However it is spelled it must stay on the origin of the base URL and below its path, because
 * the API key is sent along.
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
 * A path outside of the base URL's own that names the current collection is read relative to the base URL, as the API's
 * documentation writes paths.
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
