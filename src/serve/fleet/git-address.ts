import { resolve } from "node:path";
import { isLoopback } from "../../config/api-config.js";

/** A usable address of a repository, or what is wrong with it. The problem never quotes the address. */
export type GitAddress = { readonly git: string } | { readonly problem: string; readonly remedy: string };

const passwordRemedy = "Put a token into a file and name that with `credentials`; ssh uses the keys of this machine.";

/**
 * The address of a repository: a URL (https, ssh, file, or http on this machine), `user@host:path`, or a path. Nothing
 * else: git would run programs for other protocols.
 * @param directory absolute; a path is relative to it
 * @returns the URL as it is, or an absolute path
 */
export function gitAddress(text: string, directory: string): GitAddress {
  if (/[\p{C}\s]/u.test(text)) return { problem: "contains a blank or a control character", remedy: "Remove it." };
  if (/^[a-z][a-z0-9+.-]*::/i.test(text)) return unsafe("names a helper program of git");
  const [, protocol] = /^([a-z][a-z0-9+.-]*):\/\//i.exec(text) ?? [];
  if (protocol !== undefined) return urlAddress(text, protocol.toLowerCase());
  const [, host] = /^([^/:]+):/.exec(text) ?? [];
  if (host === undefined) return { git: resolve(directory, text) };
  // `user@host:path`; an @ after the colon ends a password.
  if (/^[^/]*@/.test(text.slice(host.length + 1))) {
    return { problem: "contains a password", remedy: passwordRemedy };
  }
  return isOption(host) ? unsafe("begins a host with a dash") : { git: text };
}

function urlAddress(text: string, protocol: string): GitAddress {
  if (!["https", "http", "ssh", "file"].includes(protocol)) {
    return unsafe(`has the protocol ${protocol}, which is not used here`);
  }
  if (!URL.canParse(text)) return unsafe("is not a valid URL");
  const { hostname, password, username } = new URL(text);
  // A token is often written as the user.
  if (password !== "" || (username !== "" && protocol !== "ssh")) {
    return { problem: "contains a user or password", remedy: passwordRemedy };
  }
  if (isOption(hostname) || isOption(username)) return unsafe("begins a host or user with a dash");
  if (protocol === "http" && !isLoopback(hostname)) {
    return unsafe("is plain http to another machine: anybody between could change what is applied");
  }
  return { git: text };
}

function unsafe(problem: string): GitAddress {
  return { problem, remedy: "Use https://…, ssh://…, user@host:path, file://… or a path." };
}

/** Programs would take it as a flag. */
function isOption(text: string): boolean {
  return text.startsWith("-") || text.toLowerCase().startsWith("%2d");
}
