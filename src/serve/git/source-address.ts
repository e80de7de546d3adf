import { isAbsolute, normalize } from "node:path";
import { fileURLToPath } from "node:url";

/** Where a source is fetched from, in a form that git can't take for anything else. */
export interface SourceAddress {
  /** The only protocol that git may use for it. */
  readonly protocol: "https" | "http" | "ssh" | "file";
  /** What git gets: a URL, or an absolute path. */
  readonly url: string;
  /** The server, for messages; null for a path. */
  readonly host: string | null;
}

/** Why an address or a ref is refused. Ends a sentence that names the source; never holds a password. */
export interface Refusal {
  readonly problem: string;
}

/**
 * Reads the address of a source: `https://`, `ssh://`, `user@host:path`, `file://` or an absolute path. `http://` only on
 * loopback, where nobody listens in. Git itself would also start programs for some (`ext::`), and take others for options.
 */
export function sourceAddress(text: string): SourceAddress | Refusal {
  if (/[\p{Cc}\s]/u.test(text) && !isAbsolute(text)) return { problem: "its address contains spaces" };
  if (/\p{Cc}/u.test(text)) return { problem: "its address contains control characters" };
  if (isAbsolute(text)) return pathAddress(text);
  const short = shortAddress(text);
  if (short !== null) return short;
  return URL.canParse(text) ? urlAddress(new URL(text)) : unknown();
}

/** `user@host:path`, as ssh has it. */
function shortAddress(text: string): SourceAddress | Refusal | null {
  const colon = text.indexOf(":");
  if (colon === -1 || text.startsWith("://", colon) || text.startsWith("::", colon)) return null;
  const [before, path] = [text.slice(0, colon), text.slice(colon + 1)];
  const at = before.lastIndexOf("@");
  const [user, host] = [before.slice(0, Math.max(at, 0)), before.slice(at + 1)];
  if (!/^[a-z\d][\w.-]*$/iu.test(host) || (at !== -1 && !/^[\w.][\w.-]*$/u.test(user)) || path === "") return null;
  if (path.startsWith("-")) return { problem: "its path begins with a dash" };
  return { protocol: "ssh", url: text, host };
}

function urlAddress(url: URL): SourceAddress | Refusal {
  if (url.password !== "") return { problem: "its address contains a password; name a file in `credentials`" };
  switch (url.protocol) {
    case "file:":
      return url.host === "" ? pathAddress(fileURLToPath(url)) : { problem: "a file:// address has no host" };
    case "ssh:":
      if (
        !/^[a-z\d[][\w.:[\]-]*$/iu.test(url.hostname) ||
        decoded(url.username).startsWith("-") ||
        /^\/*-/u.test(url.pathname)
      )
        return { problem: "its address is not a plain ssh address" };
      return { protocol: "ssh", url: url.href, host: url.host };
    case "http:":
    case "https:":
      return webAddress(url);
    default:
      return unknown();
  }
}

function webAddress(url: URL): SourceAddress | Refusal {
  if (url.username !== "") return { problem: "its address contains a user; name a file in `credentials`" };
  if (url.search !== "" || url.hash !== "") return { problem: "its address contains `?` or `#`" };
  // Git's settings for an address take `*` for any name.
  if (url.href.includes("*")) return { problem: "its address contains `*`" };
  if (url.protocol === "https:") return { protocol: "https", url: url.href, host: url.host };
  const loopback = /^(?:127(?:\.\d{1,3}){3}|\[::1\]|localhost)$/u.test(url.hostname);
  if (!loopback) return { problem: "http:// is only for this machine; use https://" };
  return { protocol: "http", url: url.href, host: url.host };
}

function pathAddress(path: string): SourceAddress {
  return { protocol: "file", url: normalize(path), host: null };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return "-";
  }
}

function unknown(): Refusal {
  return { problem: "its address is none of https://, ssh://, user@host:path and an absolute path" };
}

/** The full names that a ref may stand for: a branch and a tag, or the one that is named in full. */
export function fullRefs(ref: string): readonly string[] | Refusal {
  const full = /^refs\/(?:heads|tags)\/./u.test(ref);
  // What `git check-ref-format` refuses, and `*`, which would stand for many.
  const isName =
    /^[^\p{Cc}\s~^:?*[\\]+$/u.test(ref) && !/^[-/]|\/$|\/\/|\.\.|\.$|@\{|^@$|(?:^|\/)\.|\.lock(?:\/|$)/u.test(ref);
  if (!isName || ref.length > 1000)
    return { problem: `${JSON.stringify(ref.slice(0, 100))} is not the name of a branch or tag` };
  return full ? [ref] : [`refs/heads/${ref}`, `refs/tags/${ref}`];
}
