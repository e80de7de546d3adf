import { basePath } from "./base-url.js";

/** Where the next page is, or why it can't be there (ends a sentence about `next_page_uri`). */
export type NextPage = { readonly ok: true; readonly url: URL } | { readonly ok: false; readonly problem: string };

/**
 * Resolves a `next_page_uri`, absolute or relative to the page that holds it. It must stay on the origin of the base
 * URL and below its path however it is spelled, as the API key goes along.
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
  if (url.origin !== base.origin) return problem("leads to another address than the base URL");
  if (/%(2e|2f|5c|25|00)/i.test(url.pathname))
    return problem("holds an encoded dot, slash, backslash or percent sign in its path");
  const below = basePath(base);
  if (!url.pathname.startsWith(`${below}/`)) return problem("leads out of the base URL's path");
  url.hash = "";
  return { ok: true, url };
}

/**
 * As every URL is resolved; but a path that would leave the base URL's own path, and is the collection's as the
 * specification writes paths (relative to the base address), is taken for that.
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
