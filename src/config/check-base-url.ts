import { withoutSlashes } from "../without-slashes.js";

/** A usable base URL, or what is wrong with it. The words never quote the URL: it may hold a password. */
export type CheckedBaseUrl =
  | { readonly url: string; readonly origin: string }
  | { readonly problem: string; readonly remedy: string };

/**
 * Base URLs are https, or http on loopback (anywhere with `allowInsecureHttp`); no user, query or fragment, as requests
 * append their paths. A slash at the end is taken off.
 */
export function checkBaseUrl(text: string, allowInsecureHttp: boolean): CheckedBaseUrl {
  if (!URL.canParse(text) || !/^https?:\/\//i.test(text)) {
    return { problem: "is not an http or https URL", remedy: "Write it like https://api.example.com." };
  }
  const url = new URL(text);
  // An empty user or query disappears in parsing, so the text is asked too.
  const authority = text.split("/")[2] ?? "";
  if (url.username !== "" || url.password !== "" || authority.includes("@")) {
    return { problem: "holds a user or password", remedy: "Take it out: the API key goes into EDGEWISE_API_KEY." };
  }
  if (text.includes("?") || text.includes("#")) {
    return { problem: "has a query or fragment", remedy: "Take out everything from ? or # on." };
  }
  if (/[\s\\]/.test(text)) return { problem: "holds a blank or backslash", remedy: "Take it out." };
  if (url.protocol === "http:" && !isLoopback(url.hostname) && !allowInsecureHttp) {
    return {
      problem: "is plain http to another machine, which would send the API key in clear",
      remedy: "Use https, or give --allow-insecure-http if you must.",
    };
  }
  return { url: withoutSlashes(url.origin + url.pathname), origin: url.origin };
}

function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}
