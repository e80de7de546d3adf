import { createHash, timingSafeEqual } from "node:crypto";
import { isIPv4 } from "node:net";

/** Whether only this machine reaches an address. */
export function isLoopback(host: string): boolean {
  if (host === "localhost" || host === "::1" || host === "::ffff:127.0.0.1") return true;
  return isIPv4(host) && host.startsWith("127.");
}

/**
 * Whether a request without a token was meant for this server. A page of a browser may reach a loopback address by a name
 * of its own, but the name then stands in the `Host` header.
 * @param header the `Host` header, perhaps with a port
 * @param listenHost what the server listens on, without brackets
 */
export function isOwnHost(header: string | undefined, listenHost: string): boolean {
  const [, bracketed, plain] = /^(?:\[([0-9a-f:.]+)\]|([^:[\]]+))(?::\d{1,5})?$/i.exec(header ?? "") ?? [];
  const host = (bracketed ?? plain ?? "").toLowerCase();
  return host !== "" && ["localhost", "127.0.0.1", "::1", listenHost.toLowerCase()].includes(host);
}

/** Whether the `Authorization` header holds the token: `Bearer TOKEN`, or `Basic` with any user and the token as password. */
export function holdsToken(header: string | undefined, token: string): boolean {
  const given = tokenIn(header ?? "");
  return given !== null && token !== "" && sameSecret(given, token);
}

function tokenIn(header: string): string | null {
  const [, scheme = "", value = ""] = /^(bearer|basic) +([^ ]+) *$/i.exec(header) ?? [];
  if (scheme.toLowerCase() === "bearer") return value;
  if (scheme === "") return null;
  const pair = Buffer.from(value, "base64").toString("utf8");
  const colon = pair.indexOf(":");
  return colon < 0 ? null : pair.slice(colon + 1);
}

/** Compares in a time that tells nothing of either text: their digests have one length. */
export function sameSecret(given: string, expected: string): boolean {
  return timingSafeEqual(digestOf(given), digestOf(expected));
}

function digestOf(text: string): Buffer {
  return createHash("sha256").update(text, "utf8").digest();
}
