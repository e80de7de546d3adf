import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { type Answer, problemAnswer } from "./answer.js";

export interface Access {
  readonly listen: { readonly host: string };
  /** Reads the token, anew for every request; null = none is needed, which only a loopback address may say. */
  readonly readToken: (() => Promise<string>) | null;
  readonly onProblem: (error: unknown) => void;
}

export async function refuseAccess(
  { headers }: IncomingMessage,
  { listen, onProblem, readToken }: Access,
): Promise<Answer | null> {
  if (readToken === null) {
    if (isOwnHost(headers.host, listen.host)) return null;
    const message = "The Host header names another server. Ask for localhost, or for the address that is listened on.";
    return problemAnswer(421, message);
  }
  let token: string;
  try {
    token = await readToken();
  } catch (error) {
    onProblem(error);
    return problemAnswer(503, "The token can't be read now. The log of edgewise serve says why.");
  }
  const given = tokenIn(headers.authorization ?? "");
  if (given !== null && token !== "" && isSameSecret(given, token)) return null;
  const challenges = ['Bearer realm="edgewise"', 'Basic realm="edgewise", charset="UTF-8"'];
  const message = "A token is needed: Authorization: Bearer, or Basic with any user and the token as password.";
  return problemAnswer(401, message, { "WWW-Authenticate": challenges });
}

/** Whether a request without a token was meant for this server. */
function isOwnHost(header: string | undefined, listenHost: string): boolean {
  const [, bracketed, plain] = /^(?:\[([0-9a-f:.]+)\]|([^:[\]]+))(?::\d{1,5})?$/i.exec(header ?? "") ?? [];
  const host = (bracketed ?? plain ?? "").toLowerCase();
  return host !== "" && ["localhost", "127.0.0.1", "::1", listenHost.toLowerCase()].includes(host);
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
export function isSameSecret(given: string, expected: string): boolean {
  const [one, other] = [given, expected].map((text) => createHash("sha256").update(text, "utf8").digest());
  return one !== undefined && other !== undefined && timingSafeEqual(one, other);
}
