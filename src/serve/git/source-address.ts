import { isAbsolute, normalize, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { isLoopback } from "../../config/api-config.js";

export type SourceAddress = Readonly<{
  protocol: "https" | "http" | "ssh" | "file";
  url: string;
}>;

/** Ends a sentence that names the source; never holds a password. */
export interface Refusal {
  readonly problem: string;
}

/** `https://`, `ssh://`, `user@host:path`, `file://` or a path. */
export function sourceAddress(text: string, directory?: string): SourceAddress | Refusal {
  if (/\p{Cc}/u.test(text)) return unknown;
  if (isAbsolute(text)) return { protocol: "file", url: normalize(text) };
  if (/\s/u.test(text)) return unknown;
  const isShort = /^[^:/]+:(?!\/\/|:)/u.test(text);
  if (isShort) return shortAddress(text);
  if (/^[a-z][a-z0-9+.-]*:\/\//iu.test(text)) return URL.canParse(text) ? urlAddress(new URL(text)) : unknown;
  if (directory === undefined || text.startsWith("-") || text.includes("::")) return unknown;
  return { protocol: "file", url: resolve(directory, text) };
}

const unknown: Refusal = { problem: "is none of https://, ssh://, user@host:path and a path" };
const password: Refusal = { problem: "contains a user or password; name a file in `credentials`" };

function shortAddress(text: string): SourceAddress | Refusal {
  const [, user, host = "", path = ""] = /^(?:([^:]*)@)?([^:@]*):(.*)$/su.exec(text) ?? [];
  if (/^[^/]*@/u.test(path)) return password;
  const isPlain = /^[a-z\d][\w.-]*$/iu.test(host) && (user === undefined || /^[\w.][\w.-]*$/u.test(user));
  return isPlain && /^[^-]/u.test(path) ? { protocol: "ssh", url: text } : unknown;
}

function urlAddress(url: URL): SourceAddress | Refusal {
  const { hash, hostname, href, pathname, protocol, search, username } = url;
  if (url.password !== "" || (username !== "" && protocol !== "ssh:")) return password;
  switch (protocol) {
    case "file:":
      return url.host === "" ? { protocol: "file", url: normalize(fileURLToPath(url)) } : unknown;
    case "ssh:": {
      const isPlain = /^[a-z\d[][\w.:[\]-]*$/iu.test(hostname) && /^(?:[\w.][\w.-]*)?$/u.test(username);
      return isPlain && !/^\/*-/u.test(pathname) ? { protocol: "ssh", url: href } : unknown;
    }
    case "http:":
    case "https:":
      // Git's settings for an address take `*` for any name.
      if (search !== "" || hash !== "" || href.includes("*")) return { problem: "contains `?`, `#` or `*`" };
      if (protocol === "https:") return { protocol: "https", url: href };
      if (isLoopback(hostname)) return { protocol: "http", url: href };
      return { problem: "is plain http to another machine; use https://" };
    default:
      return unknown;
  }
}

export function fullRefs(ref: string): readonly string[] | Refusal {
  // What `git check-ref-format` refuses, and `*`, which would stand for many.
  const isName =
    /^[^\p{Cc}\s~^:?*[\\]+$/u.test(ref) && !/^[-/]|\/$|\/\/|\.\.|\.$|@\{|^@$|(?:^|\/)\.|\.lock(?:\/|$)/u.test(ref);
  if (!isName || ref.length > 1000)
    return { problem: `${JSON.stringify(ref.slice(0, 100))} is not the name of a branch or tag` };
  return /^refs\/(?:heads|tags)\/./u.test(ref) ? [ref] : [`refs/heads/${ref}`, `refs/tags/${ref}`];
}
