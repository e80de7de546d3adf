import { EdgewiseError } from "../errors.js";
import { withoutSlashes } from "../text.js";

/**
 * The base URL, checked, without a trailing slash in its path.
 * @throws EdgewiseError `config`; the message doesn't repeat the URL, as it may hold a password
 */
export function parseBaseUrl(text: string): URL {
  const problem = problemOf(text);
  if (problem !== null) {
    throw new EdgewiseError("config", `the base URL ${problem}`, {
      remedy:
        "Give it like https://api.example.com, in the configuration's api.baseUrl, EDGEWISE_BASE_URL or --base-url.",
    });
  }
  const url = new URL(text);
  url.pathname = withoutSlashes(url.pathname);
  return url;
}

function problemOf(text: string): string | null {
  if (!URL.canParse(text)) return "is not a URL";
  const url = new URL(text);
  if (url.protocol !== "https:" && url.protocol !== "http:") return "is neither https nor http";
  if (url.username !== "" || url.password !== "") return "holds a user name or password";
  if (url.search !== "" || url.hash !== "") return "holds a query or a fragment";
  return null;
}

/** A checked base URL as text, without a trailing slash. */
export function baseUrlText(base: URL): string {
  return base.origin + basePath(base);
}

/** Its path without a trailing slash: empty, or beginning with a slash. */
export function basePath(base: URL): string {
  return withoutSlashes(base.pathname);
}

/**
 * The URL of a path of the API, which must arrive as it stands: an id that is empty or `..` would change its meaning.
 * @throws EdgewiseError `api` for a path that a URL would change
 */
export function urlOf(base: URL, path: string): URL {
  const literal = basePath(base) + path;
  if (/^(\/[^/]+)+$/.test(path) && URL.canParse(base.origin + literal)) {
    const url = new URL(base.origin + literal);
    if (url.pathname === literal && url.search === "" && url.hash === "" && url.origin === base.origin) return url;
  }
  throw new EdgewiseError("api", `${JSON.stringify(path)} can't be a path of the API, so nothing was sent`, {
    remedy: "Look for an id that is empty or not one, like `..`.",
  });
}
